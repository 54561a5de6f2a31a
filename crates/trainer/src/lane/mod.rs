//! One game of self-play, and learning along it.

mod pending;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use state::{LaneState, board_of};

use crate::carousel::Carousel;
use crate::metrics::Finished;
use crate::step_size::{GameStep, StepSize};
use crate::targets::{Returns, Updates};
use engine::{Episode, GameRng, Objective};
use network::{Indexed, NTuple, Traces};
use pending::{Learn, Pending};
use rand::RngExt;

/// How lanes learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Method {
    pub(crate) returns: Returns,
    pub(crate) updates: Updates,
    /// The probability that a game is restarted from its middle.
    pub(crate) restarts: f64,
}

/// A game in progress, with what learning remembers of it.
///
/// Learning is of afterstates (Szubert and Jaskowski 2014): the player moves greedily, and the value of the afterstate
/// of each move is moved towards a target that the moves after it give, or towards 0 at the end of the game.
pub(crate) struct Lane<G: Indexed> {
    number: u64,
    step: GameStep,
    method: Method,
    episode: Episode<G>,
    /// The moves that have not been learned from.
    pending: Pending<G>,
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
    past: Vec<G::Board>,
    /// The stage that it began in, and the latest that it came to, if a carousel turns.
    stages: [usize; 2],
}

/// Moves that a restarted game is expected to have at least.
const SHORTEST_RESTART: usize = 10;

impl<G: Indexed> Lane<G> {
    /// Game `number` of a run, at its start. `step` holds for the whole game.
    pub(crate) fn start(
        network: &NTuple<G>,
        number: u64,
        rng: GameRng,
        step: GameStep,
        method: Method,
    ) -> Self {
        let episode = Episode::start(network.game(), rng);
        Lane::at(network, number, step, method, episode)
    }

    /// A lane at some position, with nothing behind it to learn from.
    fn at(
        network: &NTuple<G>,
        number: u64,
        step: GameStep,
        method: Method,
        episode: Episode<G>,
    ) -> Self {
        let placeholder = network.game().awaiting_spawn(episode.board);
        let mut lane = Lane {
            number,
            step,
            method,
            pending: Pending::new(network, method),
            legal: 0,
            afterstates: [placeholder; 4],
            rewards: [0; 4],
            candidates: network.traces(4),
            stages: [0; 2],
            episode,
            error_sum: 0.0,
            restarted: false,
            past: Vec::new(),
        };
        lane.look_ahead(network);
        lane
    }

    /// Has a thread, counted from 0, play the game.
    pub(crate) fn assign(&mut self, network: &NTuple<G>, thread: usize) {
        self.pending.assign(network, thread);
        network.assign(&mut self.candidates, thread);
        self.look_ahead(network);
    }

    /// Begins again from the middle of what was played last, after its end, with some probability and unless that is near
    /// the end. So a game is played from ever later positions, and late ones, which few games come to, are learned from more
    /// often (the restart strategy of Matsuzaki 2017; there it is always done, which leaves too few games for the early ones).
    pub(crate) fn restart(&mut self, network: &NTuple<G>) -> bool {
        let middle = self.past.len() / 2;
        if self.past.len() - middle < SHORTEST_RESTART {
            return false;
        }
        let probability = self.method.restarts;
        if probability < 1.0 && !self.episode.rng.random_bool(probability) {
            return false;
        }
        self.begin_again(network, self.past[middle]);
        true
    }

    /// Goes on, after the end of what was played last, from where some game came to the next stage for which there are
    /// such positions, if there is one.
    pub(crate) fn ride(&mut self, network: &NTuple<G>, carousel: &Carousel<G>) -> bool {
        let stage = self.stages[0] + 1;
        let board = carousel.draw(stage, &mut self.episode.rng);
        if let Some(board) = board {
            self.stages = [stage; 2];
            self.begin_again(network, board);
        }
        board.is_some()
    }

    fn begin_again(&mut self, network: &NTuple<G>, board: G::Board) {
        self.episode.board = board;
        self.episode.score = 0;
        self.episode.moves = 0;
        self.past.clear();
        self.error_sum = 0.0;
        self.restarted = true;
        self.look_ahead(network);
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

    /// Plays a move, or learns from one, or both. When the game is over and all of it is learned, returns what it came to.
    #[inline]
    pub(crate) fn step(
        &mut self,
        network: &NTuple<G>,
        step_size: &StepSize,
        carousel: Option<&Carousel<G>>,
    ) -> Option<Finished> {
        if self.legal == 0 {
            return self.learn_end(network, step_size);
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
        let (afterstate, merged) = (self.afterstates[best], self.rewards[best]);
        let reward = Objective::Score.step_reward(merged);
        if self.method.restarts > 0.0 {
            self.past.push(self.episode.board);
        }
        self.pending
            .push(afterstate, reward, &self.candidates, best);
        if self.method.updates == Updates::Forward {
            step_size.prefetch(self.pending.newest(), self.step);
        }
        self.episode.advance(network.game(), afterstate, merged);
        // The next look-ups are fetched while the weights of an earlier move change.
        self.look_ahead(network);
        if self.method.updates == Updates::Forward {
            let learn = Learn {
                network,
                step_size,
                step: self.step,
            };
            self.error_sum += self.pending.learn_first(&learn, highest);
        }
        if let Some(carousel) = carousel {
            self.watch_stage(network, carousel, afterstate);
        }
        None
    }

    /// Learns from the end of the game: of what is left, or one move more of it.
    fn learn_end(&mut self, network: &NTuple<G>, step_size: &StepSize) -> Option<Finished> {
        let learn = Learn {
            network,
            step_size,
            step: self.step,
        };
        self.error_sum += match self.method.updates {
            Updates::Forward => self.pending.learn_rest(&learn),
            Updates::Backward => self.pending.learn_last(&learn),
        };
        if !self.pending.is_empty() {
            return None;
        }
        let outcome = self.episode.outcome(network.game());
        Some(Finished::new(outcome, self.error_sum, self.restarted))
    }

    /// Puts the position on the carousel if the last move came to a later stage than any before.
    fn watch_stage(
        &mut self,
        network: &NTuple<G>,
        carousel: &Carousel<G>,
        afterstate: G::Afterstate,
    ) {
        let stage = carousel.stage_of(network.game(), afterstate);
        if stage > self.stages[1] {
            self.stages[1] = stage;
            carousel.add(stage, self.episode.board);
        }
    }
}
