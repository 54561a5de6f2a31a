use super::Method;
use super::state::board_of;
use crate::step_size::{GameStep, StepSize};
use crate::targets::{Returns, Updates};
use network::{Indexed, NTuple, Trace, Traces};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// The moves of a game that have not been learned from.
pub(super) struct Pending<G: Indexed> {
    returns: Returns,
    /// Their afterstates and rewards, the oldest first.
    moves: VecDeque<(G::Afterstate, f32)>,
    /// Where the weights are: forward of as many moves as there are, each move in the row after the one before; backward of
    /// the move to be learned from next, and before it of the one after that.
    traces: Traces,
    rows: usize,
    /// The row of the newest move; backward of that to be learned from next, if it was found.
    row: usize,
    found: bool,
    updates: Updates,
    /// Backward, the rewards and new values of the moves learned from last, the last one first: as many as a target spans.
    learned: VecDeque<(f32, f32)>,
}

/// Pending moves as checkpoints hold them. Positions are ranks.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PendingState {
    moves: Vec<(Vec<u8>, f32)>,
    learned: Vec<(f32, f32)>,
}

/// What an update needs.
pub(super) struct Learn<'a, G: Indexed> {
    pub(super) network: &'a NTuple<G>,
    pub(super) step_size: &'a StepSize,
    pub(super) step: GameStep,
}

impl<G: Indexed> Learn<'_, G> {
    /// Moves a value towards a target. Returns the absolute error.
    #[inline]
    fn update(&self, trace: Trace<'_>, target: f32) -> f64 {
        let error = target - self.network.read_to_update(trace);
        self.step_size.update(self.network, trace, self.step, error);
        f64::from(error.abs())
    }
}

impl<G: Indexed> Pending<G> {
    pub(super) fn new(network: &NTuple<G>, method: Method) -> Self {
        let rows = match method.updates {
            Updates::Forward => method.returns.steps + 1,
            Updates::Backward => 2,
        };
        Pending {
            returns: method.returns,
            moves: VecDeque::new(),
            traces: network.traces(rows),
            rows,
            row: 0,
            found: false,
            updates: method.updates,
            learned: VecDeque::new(),
        }
    }

    /// Has a thread learn from the moves that are made from now on; where earlier ones are found does not change.
    pub(super) fn assign(&mut self, network: &NTuple<G>, thread: usize) {
        network.assign(&mut self.traces, thread);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Adds a move, the nth of those that `candidates` names the weights of.
    #[inline]
    pub(super) fn push(
        &mut self,
        afterstate: G::Afterstate,
        reward: f32,
        candidates: &Traces,
        nth: usize,
    ) {
        self.moves.push_back((afterstate, reward));
        if self.updates == Updates::Forward {
            self.row = if self.row + 1 == self.rows {
                0
            } else {
                self.row + 1
            };
            self.traces.copy_row(self.row, candidates, nth);
        }
    }

    /// Where the weights of the newest move are.
    #[inline]
    pub(super) fn newest(&self) -> Trace<'_> {
        self.traces.row(self.row)
    }

    /// Where the weights of the nth move are, going forward.
    #[inline]
    fn trace(&self, nth: usize) -> Trace<'_> {
        let back = self.moves.len() - 1 - nth;
        let row = if back <= self.row {
            self.row - back
        } else {
            self.row + self.rows - back
        };
        self.traces.row(row)
    }

    /// Learns from the first move, if there are as many after it as its target spans; `highest` is reward + value of the
    /// newest. Returns the absolute error.
    #[inline]
    pub(super) fn learn_first(&mut self, learn: &Learn<'_, G>, highest: f32) -> f64 {
        if self.moves.len() <= self.returns.steps {
            return 0.0;
        }
        self.learn_front(learn, highest, self.moves.len() - 1)
    }

    /// Learns from all moves, the first one first, at the end of the game. Returns the sum of the absolute errors.
    pub(super) fn learn_rest(&mut self, learn: &Learn<'_, G>) -> f64 {
        let mut errors = 0.0;
        while !self.moves.is_empty() {
            errors += self.learn_front(learn, 0.0, self.moves.len());
        }
        errors
    }

    /// Learns from the first move, given the target of the move before the nth.
    #[inline]
    fn learn_front(&mut self, learn: &Learn<'_, G>, mut target: f32, nth: usize) -> f64 {
        for nth in (1..nth).rev() {
            let value = || learn.network.read(self.trace(nth));
            target = self.returns.before(target, self.moves[nth].1, value);
        }
        let error = learn.update(self.trace(0), target);
        self.moves.pop_front();
        error
    }

    /// Learns from the last move, when the game is over and all moves after it have been learned from. Returns the absolute
    /// error.
    pub(super) fn learn_last(&mut self, learn: &Learn<'_, G>) -> f64 {
        let network = learn.network;
        let Some((afterstate, reward)) = self.moves.pop_back() else {
            return 0.0;
        };
        let (row, other) = (self.row, 1 - self.row);
        if !self.found {
            network.locate_row(afterstate, &mut self.traces, row);
        }
        self.found = match self.moves.back() {
            Some(&(before, _)) => {
                network.locate_row(before, &mut self.traces, other);
                network.prefetch(self.traces.row(other));
                learn.step_size.prefetch(self.traces.row(other), learn.step);
                true
            }
            None => false,
        };
        // Beyond what the target spans the value stands for the rest, and nothing beyond the end.
        let span = self.returns.steps;
        let (mut target, rest) = match self.learned.get(span - 1) {
            Some((reward, value)) => (reward + value, span - 1),
            None => (0.0, self.learned.len()),
        };
        for &(reward, value) in { self.learned.iter().take(rest) }.rev() {
            target = self.returns.before(target, reward, || value);
        }
        let trace = self.traces.row(row);
        let error = learn.update(trace, target);
        self.learned.truncate(span - 1);
        self.learned.push_front((reward, network.read(trace)));
        if self.moves.is_empty() {
            self.learned.clear();
        }
        self.row = other;
        error
    }

    /// For a checkpoint.
    pub(super) fn state(&self, game: &G) -> PendingState {
        let ranks = |(afterstate, reward): &(G::Afterstate, f32)| (game.ranks(afterstate), *reward);
        PendingState {
            moves: self.moves.iter().map(ranks).collect(),
            learned: self.learned.iter().copied().collect(),
        }
    }

    /// From a checkpoint, into an empty list. `None` if these are no moves of this game.
    pub(super) fn restore(
        &mut self,
        network: &NTuple<G>,
        PendingState { moves, learned }: &PendingState,
    ) -> Option<()> {
        let forward = self.updates == Updates::Forward;
        if learned.len() > self.returns.steps || (forward && moves.len() > self.returns.steps) {
            return None;
        }
        let game = network.game();
        for (row, (ranks, reward)) in moves.iter().enumerate() {
            let afterstate = game.awaiting_spawn(board_of(game, ranks)?);
            self.moves.push_back((afterstate, *reward));
            if forward {
                network.locate_row(afterstate, &mut self.traces, row);
                self.row = row;
            }
        }
        self.learned.extend(learned);
        Some(())
    }
}
