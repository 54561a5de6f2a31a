//! One game of self-play, and learning along it.

use crate::metrics::Finished;
use crate::step_size::StepSize;
use engine::{Episode, GameRng, Objective, Slide};
use network::{Indexed, NTuple, Trace};
use serde::{Deserialize, Serialize};

/// A game in progress, with what learning remembers of it.
///
/// Learning is TD(0) on afterstates (Szubert and Jaskowski 2014): the player moves greedily, and once a move
/// is chosen, the value of the afterstate before it moves towards that move's reward + the value of its
/// afterstate, or towards 0 at the end of the game.
pub(crate) struct Lane<G: Indexed> {
    number: u64,
    alpha: f32,
    episode: Episode<G>,
    /// The afterstate of the last move, which the next move will correct.
    previous: Option<G::Afterstate>,
    /// Where the weights of `previous` are.
    trace: Trace,
    /// Where the weights of the move now chosen are, until it is the last.
    chosen: Trace,
    /// The slides of the present board, by direction, and where the weights of their afterstates are.
    slides: [Option<Slide<G>>; 4],
    candidates: [Trace; 4],
    error_sum: f64,
}

/// A lane as checkpoints hold it. Positions are ranks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LaneState {
    number: u64,
    alpha: f32,
    board: Vec<u8>,
    score: u64,
    moves: u64,
    rng: GameRng,
    previous: Option<Vec<u8>>,
    error_sum: f64,
}

impl<G: Indexed> Lane<G> {
    /// Game `number` of a run, at its start. `alpha` holds for the whole game.
    pub(crate) fn start(network: &NTuple<G>, number: u64, rng: GameRng, alpha: f32) -> Self {
        let episode = Episode::start(network.game(), rng);
        Lane::at(network, number, alpha, episode)
    }

    /// A lane at some position, with nothing behind it to learn from.
    fn at(network: &NTuple<G>, number: u64, alpha: f32, episode: Episode<G>) -> Self {
        let mut lane = Lane {
            number,
            alpha,
            episode,
            previous: None,
            trace: network.trace(),
            chosen: network.trace(),
            slides: [None; 4],
            candidates: [(); 4].map(|()| network.trace()),
            error_sum: 0.0,
        };
        lane.look_ahead(network);
        lane
    }

    /// Finds the afterstates of all moves and has their weights fetched, for the next step to read.
    #[inline]
    fn look_ahead(&mut self, network: &NTuple<G>) {
        self.slides = network.game().slides(self.episode.board);
        for (slide, trace) in self.slides.iter().zip(&mut self.candidates) {
            if let Some((afterstate, _)) = slide {
                network.locate(*afterstate, trace);
                network.prefetch(trace);
            }
        }
    }

    /// Plays a move and learns from it. At the end of the game, when there is no move, it learns that and
    /// returns what the game came to.
    #[inline]
    pub(crate) fn step(&mut self, network: &NTuple<G>, step_size: &StepSize) -> Option<Finished> {
        let mut best = None;
        let mut highest = f32::NEG_INFINITY;
        for (direction, (slide, trace)) in self.slides.iter().zip(&self.candidates).enumerate() {
            if let Some((afterstate, merged)) = *slide {
                let total = Objective::Score.step_reward(merged) + network.read(trace);
                // The first of equals is taken, and some move is even if weights have run to infinity.
                if total > highest || best.is_none() {
                    highest = total;
                    best = Some((direction, afterstate, merged));
                }
            }
        }
        let correct = self.previous.is_some();
        let target = if best.is_some() { highest } else { 0.0 };
        if let Some((direction, afterstate, merged)) = best {
            std::mem::swap(&mut self.chosen, &mut self.candidates[direction]);
            step_size.prefetch(&self.chosen);
            self.previous = Some(afterstate);
            self.episode.advance(network.game(), afterstate, merged);
            // The next look-ups are fetched while the weights of this one's predecessor change.
            self.look_ahead(network);
        }
        if correct {
            let error = target - network.read(&self.trace);
            step_size.update(network, &self.trace, self.alpha, error);
            self.error_sum += f64::from(error.abs());
        }
        std::mem::swap(&mut self.trace, &mut self.chosen);
        match best {
            Some(_) => None,
            None => Some(Finished::new(
                self.episode.outcome(network.game()),
                self.error_sum,
            )),
        }
    }

    /// For a checkpoint.
    pub(crate) fn state(&self, game: &G) -> LaneState {
        LaneState {
            number: self.number,
            alpha: self.alpha,
            board: game.ranks(&self.episode.board),
            score: self.episode.score,
            moves: self.episode.moves,
            rng: self.episode.rng.clone(),
            previous: self.previous.map(|afterstate| game.ranks(&afterstate)),
            error_sum: self.error_sum,
        }
    }

    /// From a checkpoint. `None` if it holds no position of this game.
    pub(crate) fn restore(network: &NTuple<G>, state: LaneState) -> Option<Self> {
        let game = network.game();
        let board = |ranks: &Vec<u8>| game.is_possible(ranks).then(|| game.board_of_ranks(ranks));
        let previous = match &state.previous {
            Some(ranks) => Some(game.awaiting_spawn(board(ranks)?)),
            None => None,
        };
        let episode = Episode {
            board: board(&state.board)?,
            score: state.score,
            moves: state.moves,
            rng: state.rng,
        };
        let mut lane = Lane::at(network, state.number, state.alpha, episode);
        if let Some(afterstate) = previous {
            network.locate(afterstate, &mut lane.trace);
        }
        lane.previous = previous;
        lane.error_sum = state.error_sum;
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepSizeRule;
    use engine::{Classic, Game, best_move, game_rng};
    use network::Structure;

    /// The fused choice of [`Lane::step`] is the depth-1 choice that agents make, and the update moves the
    /// previous afterstate's value by alpha x error.
    #[test]
    fn a_step_plays_the_greedy_move_and_corrects_the_one_before() {
        let structure = Structure::parse("0123 4567 0145 asymmetric", Classic.rules().geometry());
        let network = NTuple::new(&Classic, structure.expect("patterns")).expect("small");
        let step_size = StepSize::new(StepSizeRule::Constant, &network).expect("small");
        for number in 0..20 {
            let mut lane = Lane::start(&network, number, game_rng(1, number), 0.25);
            loop {
                let board = lane.episode.board;
                let chosen = best_move(&Classic, board, &network);
                let mut trace = network.trace();
                let corrected = lane
                    .previous
                    .map(|previous| (previous, network.evaluate(previous, &mut trace)));
                let finished = lane.step(&network, &step_size);

                let target = chosen.map_or(0.0, |(direction, values)| {
                    let (afterstate, _) = Classic.slide(board, direction).expect("legal");
                    assert_eq!(lane.previous, Some(afterstate));
                    values[direction as usize].expect("legal")
                });
                if let Some((previous, before)) = corrected {
                    let after = network.evaluate(previous, &mut trace);
                    let expected = before + 0.25 * (target - before);
                    assert!(
                        (after - expected).abs() <= 1e-3 * expected.abs().max(1.0),
                        "{after}, not {expected}"
                    );
                }
                if let Some(finished) = finished {
                    assert!(chosen.is_none() && finished.moves == lane.episode.moves);
                    break;
                }
            }
        }
    }
}
