use engine::{Agent, Decision, Game};

/// Shows another agent boards whose tiles it knows: tile-downgrading (Guei, Chen and Wu 2021). Where a tile is as large as a
/// threshold, every tile above the largest one that the board lacks is halved, and again until none is as large or none is
/// lacking. Moves and merges stay the same, so the choice does; a network plays on beyond what it has learned.
///
/// The values of a decision are those of the board that was shown.
pub struct Downgraded<G: Game> {
    game: G,
    agent: Box<dyn Agent<G>>,
    threshold: u8,
    shown: Vec<G::Board>,
}

impl<G: Game> Downgraded<G> {
    /// A player that sees no rank from `threshold` up if that can be.
    pub fn new(game: G, agent: Box<dyn Agent<G>>, threshold: u8) -> Self {
        Downgraded {
            game,
            agent,
            threshold,
            shown: Vec::new(),
        }
    }
}

/// The board to show in place of another.
fn downgrade<G: Game>(game: &G, board: G::Board, threshold: u8) -> G::Board {
    if !game.has_rank_from(game.awaiting_spawn(board), threshold) {
        return board;
    }
    let mut ranks = game.ranks(&board);
    loop {
        let largest = ranks.iter().copied().max().unwrap_or(0);
        let lacking = (1..largest).rev().find(|rank| !ranks.contains(rank));
        match lacking {
            Some(lacking) if largest >= threshold => {
                for rank in ranks.iter_mut().filter(|rank| **rank > lacking) {
                    *rank -= 1;
                }
            }
            _ => return game.board_of_ranks(&ranks),
        }
    }
}

impl<G: Game> Agent<G> for Downgraded<G> {
    fn begin_game(&mut self, seed: u64) {
        self.agent.begin_game(seed);
    }

    fn decide(&mut self, board: G::Board) -> Option<Decision> {
        self.agent
            .decide(downgrade(&self.game, board, self.threshold))
    }

    fn lanes(&self) -> usize {
        self.agent.lanes()
    }

    fn decide_batch(&mut self, boards: &[G::Board], decisions: &mut Vec<Option<Decision>>) {
        let show = |&board: &G::Board| downgrade(&self.game, board, self.threshold);
        self.shown.clear();
        self.shown.extend(boards.iter().map(show));
        self.agent.decide_batch(&self.shown, decisions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::GreedyAgent;
    use crate::evaluators::Zero;
    use engine::{Classic, Objective, game_rng};
    use rand::Rng;

    #[test]
    fn tiles_above_the_largest_lacking_one_are_halved() {
        let shown = |text: &str| {
            let board = Classic.parse_board(text).expect(text);
            Classic.write_cells(&downgrade(&Classic, board, 15))
        };
        for (board, expected) in [
            // Below the threshold nothing changes.
            ("16384 4096 2 0", "16384 4096 2 0"),
            ("32768 8192 2 0", "16384 8192 2 0"),
            ("32768 16384 4096 2", "16384 8192 4096 2"),
            // Until none is as large.
            ("65536 8192 4 2", "16384 8192 4 2"),
            ("65536 32768 16384 8192", "16384 8192 4096 2048"),
        ] {
            let rest = "/0 0 0 0/0 0 0 0/0 0 0 0";
            assert_eq!(
                shown(&format!("{board}{rest}")),
                format!("{expected}{rest}")
            );
        }
        // Nothing is lacking.
        let full = "2 4 8 16/32 64 128 256/512 1024 2048 4096/8192 16384 32768 2";
        assert_eq!(shown(full), full);
    }

    /// What is legal, and what merges, is the same on the board that is shown.
    #[test]
    fn moves_are_those_of_the_board_itself() {
        let mut rng = game_rng(3, 0);
        let mut downgraded = 0;
        for _ in 0..2_000 {
            let ranks: Vec<u8> = (0..16)
                .map(|_| [0, 1, 2, 5, 13, 14, 15, 16][rng.next_u64() as usize % 8])
                .collect();
            let board = Classic.board_of_ranks(&ranks);
            let shown = downgrade(&Classic, board, 15);
            downgraded += u32::from(shown != board);
            let [of_board, of_shown] = [board, shown].map(|board| {
                Classic
                    .slides(board)
                    .map(|slide| slide.map(|(after, _)| Classic.empty_cells(after)))
            });
            assert_eq!(of_board, of_shown, "{ranks:?}");
        }
        assert!(downgraded > 1_000);
    }

    #[test]
    fn boards_are_shown_one_by_one_and_many_at_once() {
        let zero = Zero(Objective::Score);
        let agent = || Downgraded::new(Classic, Box::new(GreedyAgent::new(Classic, zero)), 15);
        let mut agent = agent();
        let boards = [
            "32768 8192 8192 0/2 2 0 0/0 0 0 0/0 0 0 0",
            "2 2 0 0/0 0 0 0/0 0 0 0/0 0 0 0",
        ]
        .map(|text| Classic.parse_board(text).expect(text));
        let mut together = Vec::new();
        agent.decide_batch(&boards, &mut together);
        assert_eq!(together, boards.map(|board| agent.decide(board)));
        let best = together[0]
            .as_ref()
            .expect("a move")
            .values
            .iter()
            .flatten()
            .copied()
            .fold(0.0, f32::max);
        assert_eq!(best, 16388.0);
    }
}
