//! One game of self-play, and learning along it.

use crate::metrics::Finished;
use crate::step_size::{GameStep, StepSize};
use engine::{Episode, GameRng, Objective};
use network::{Indexed, NTuple, Traces};
use serde::{Deserialize, Serialize};

/// A game in progress, with what learning remembers of it.
///
/// Learning is TD(0) on afterstates (Szubert and Jaskowski 2014): the player moves greedily, and once a move
/// is chosen, the value of the afterstate before it moves towards that move's reward + the value of its
/// afterstate, or towards 0 at the end of the game.
pub(crate) struct Lane<G: Indexed> {
    number: u64,
    step: GameStep,
    episode: Episode<G>,
    /// The afterstate of the last move, which the next move will correct.
    previous: Option<G::Afterstate>,
    /// Where the weights of `previous` are.
    trace: Traces,
    /// Where the weights of the move now chosen are, until it is the last.
    chosen: Traces,
    /// The legal moves of the present board: so many, their afterstates and rewards, and where the weights of these
    /// afterstates are.
    legal: usize,
    afterstates: [G::Afterstate; 4],
    rewards: [u32; 4],
    candidates: Traces,
    error_sum: f64,
    /// Whether it began in the middle of a game.
    restarted: bool,
    /// The boards of the moves so far, if the game may be restarted from one of them.
    past: Option<Vec<G::Board>>,
}

/// Moves that a restarted game is expected to have at least.
const SHORTEST_RESTART: usize = 10;

/// A lane as checkpoints hold it. Positions are ranks.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct LaneState {
    number: u64,
    step: GameStep,
    board: Vec<u8>,
    score: u64,
    moves: u64,
    rng: GameRng,
    previous: Option<Vec<u8>>,
    error_sum: f64,
    restarted: bool,
    past: Option<Vec<Vec<u8>>>,
}

impl<G: Indexed> Lane<G> {
    /// Game `number` of a run, at its start. `step` holds for the whole game; `remembers` lets it be restarted.
    pub(crate) fn start(
        network: &NTuple<G>,
        number: u64,
        rng: GameRng,
        step: GameStep,
        remembers: bool,
    ) -> Self {
        let episode = Episode::start(network.game(), rng);
        let mut lane = Lane::at(network, number, step, episode);
        lane.past = remembers.then(Vec::new);
        lane
    }

    /// Begins again from the middle of what was played last, after its end, unless that is near the end. So a game is
    /// played from ever later positions, and late ones, which few games come to, are learned from as often as early ones
    /// (the restart strategy of Matsuzaki 2017).
    pub(crate) fn restart(&mut self, network: &NTuple<G>) -> bool {
        let Some(past) = &mut self.past else {
            return false;
        };
        let middle = past.len() / 2;
        if past.len() - middle < SHORTEST_RESTART {
            return false;
        }
        self.episode.board = past[middle];
        past.clear();
        self.episode.score = 0;
        self.episode.moves = 0;
        self.previous = None;
        self.error_sum = 0.0;
        self.restarted = true;
        self.look_ahead(network);
        true
    }

    /// A lane at some position, with nothing behind it to learn from.
    fn at(network: &NTuple<G>, number: u64, step: GameStep, episode: Episode<G>) -> Self {
        let mut lane = Lane {
            number,
            step,
            previous: None,
            trace: network.traces(1),
            chosen: network.traces(1),
            legal: 0,
            afterstates: [network.game().awaiting_spawn(episode.board); 4],
            rewards: [0; 4],
            candidates: network.traces(4),
            episode,
            error_sum: 0.0,
            restarted: false,
            past: None,
        };
        lane.look_ahead(network);
        lane
    }

    /// Finds the afterstates of all moves and has their weights fetched, for the next step to read.
    #[inline]
    fn look_ahead(&mut self, network: &NTuple<G>) {
        self.legal = 0;
        for slide in network.game().slides(self.episode.board) {
            // Without a branch, which the processor could not foresee. What is not legal is written over or left out.
            let (afterstate, reward) = slide.unwrap_or((self.afterstates[0], 0));
            self.afterstates[self.legal] = afterstate;
            self.rewards[self.legal] = reward;
            self.legal += usize::from(slide.is_some());
        }
        network.locate(&self.afterstates[..self.legal], &mut self.candidates);
        for nth in 0..self.legal {
            network.prefetch(self.candidates.row(nth));
        }
    }

    /// Plays a move and learns from it. At the end of the game, when there is no move, it learns that and
    /// returns what the game came to.
    #[inline]
    pub(crate) fn step(&mut self, network: &NTuple<G>, step_size: &StepSize) -> Option<Finished> {
        if self.legal == 0 {
            self.correct(network, step_size, 0.0);
            let outcome = self.episode.outcome(network.game());
            return Some(Finished::new(outcome, self.error_sum, self.restarted));
        }
        let total = |nth: usize| {
            let reward = Objective::Score.step_reward(self.rewards[nth]);
            reward + network.read(self.candidates.row(nth))
        };
        // The first of equals is taken, and some move is even if weights have run to infinity.
        let (mut best, mut highest) = (0, total(0));
        for nth in 1..self.legal {
            let total = total(nth);
            if total > highest {
                (best, highest) = (nth, total);
            }
        }
        let afterstate = self.afterstates[best];
        if let Some(past) = &mut self.past {
            past.push(self.episode.board);
        }
        self.chosen.copy_row(0, &self.candidates, best);
        step_size.prefetch(self.chosen.row(0), self.step);
        self.episode
            .advance(network.game(), afterstate, self.rewards[best]);
        // The next look-ups are fetched while the weights of this one's predecessor change.
        self.look_ahead(network);
        self.correct(network, step_size, highest);
        self.previous = Some(afterstate);
        std::mem::swap(&mut self.trace, &mut self.chosen);
        None
    }

    /// Moves the value of the last afterstate, if there is one, towards a target.
    #[inline]
    fn correct(&mut self, network: &NTuple<G>, step_size: &StepSize, target: f32) {
        if self.previous.is_some() {
            let trace = self.trace.row(0);
            let error = target - network.read_to_update(trace);
            step_size.update(network, trace, self.step, error);
            self.error_sum += f64::from(error.abs());
        }
    }

    /// For a checkpoint.
    pub(crate) fn state(&self, game: &G) -> LaneState {
        LaneState {
            number: self.number,
            step: self.step,
            board: game.ranks(&self.episode.board),
            score: self.episode.score,
            moves: self.episode.moves,
            rng: self.episode.rng.clone(),
            previous: self.previous.map(|afterstate| game.ranks(&afterstate)),
            error_sum: self.error_sum,
            restarted: self.restarted,
            past: { self.past.as_ref() }
                .map(|past| past.iter().map(|board| game.ranks(board)).collect()),
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
        let past = match &state.past {
            Some(past) => Some(past.iter().map(board).collect::<Option<_>>()?),
            None => None,
        };
        let episode = Episode {
            board: board(&state.board)?,
            score: state.score,
            moves: state.moves,
            rng: state.rng,
        };
        let mut lane = Lane::at(network, state.number, state.step, episode);
        if let Some(afterstate) = previous {
            network.locate(&[afterstate], &mut lane.trace);
        }
        lane.previous = previous;
        lane.error_sum = state.error_sum;
        lane.restarted = state.restarted;
        lane.past = past;
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Schedule, StepSizeRule};
    use engine::{Classic, Game, best_move, game_rng};
    use network::Structure;

    fn step_size(rule: StepSizeRule, alpha: f32, network: &NTuple<Classic>) -> StepSize {
        StepSize::new(rule, Schedule::Constant(alpha), network).expect("small")
    }

    fn start(network: &NTuple<Classic>, number: u64, step_size: &StepSize) -> Lane<Classic> {
        let rng = game_rng(1, number);
        Lane::start(network, number, rng, step_size.at(0.0), false)
    }

    /// The fused choice of [`Lane::step`] is the depth-1 choice that agents make, and the update moves the
    /// previous afterstate's value by alpha x error.
    #[test]
    fn a_step_plays_the_greedy_move_and_corrects_the_one_before() {
        let structure = Structure::parse("0123 4567 0145 asymmetric", Classic.rules().geometry());
        let network = NTuple::new(&Classic, structure.expect("patterns")).expect("small");
        let step_size = step_size(StepSizeRule::Constant, 0.25, &network);
        for number in 0..20 {
            let mut lane = start(&network, number, &step_size);
            loop {
                let board = lane.episode.board;
                let chosen = best_move(&Classic, board, &network);
                let mut traces = network.traces(1);
                let corrected = lane
                    .previous
                    .map(|previous| (previous, network.evaluate(previous, &mut traces)));
                let finished = lane.step(&network, &step_size);

                let target = chosen.map_or(0.0, |(direction, values)| {
                    let (afterstate, _) = Classic.slide(board, direction).expect("legal");
                    assert_eq!(lane.previous, Some(afterstate));
                    values[direction as usize].expect("legal")
                });
                if let Some((previous, before)) = corrected {
                    let after = network.evaluate(previous, &mut traces);
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

    /// Whatever the processor can do, a run learns the same.
    #[test]
    fn every_kernel_learns_the_same() {
        let learned = |kernel: &str| {
            let structure = Structure::parse("01234 01245 0123 fb7", Classic.rules().geometry());
            let mut network = NTuple::new(&Classic, structure.expect("patterns")).expect("small");
            assert!(network.choose_kernel(kernel));
            let step_size = step_size(StepSizeRule::Tc, 1.0, &network);
            let games = (0..20).map(|number| {
                let mut lane = start(&network, number, &step_size);
                loop {
                    if let Some(finished) = lane.step(&network, &step_size) {
                        return finished;
                    }
                }
            });
            let games: Vec<(u64, u64)> = games.map(|game| (game.score, game.moves)).collect();
            (games, network.weight_range())
        };
        let structure = Structure::parse("0123", Classic.rules().geometry()).expect("a pattern");
        let kernels = NTuple::new(&Classic, structure)
            .expect("small")
            .kernel_names();
        let expected = learned(kernels[0]);
        assert!(expected.1.0 > 1000);
        for kernel in &kernels[1..] {
            assert_eq!(learned(kernel), expected, "{kernel}");
        }
    }
}
