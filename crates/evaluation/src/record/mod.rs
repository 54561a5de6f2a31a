//! Recorded games: the start, then every move and the spawn that followed. Whoever reads one plays it again by the
//! rules, so what a record claims cannot differ from what happened.

mod file;

#[cfg(test)]
mod tests;

pub use file::{RECORD_MAGIC, RecordError, RecordHeader, RecordReader, RecordWriter, Recorded};

use engine::{Cells, Direction, Game, Outcome};

/// A move and the spawn after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The move.
    pub direction: Direction,
    /// Which empty cell of the afterstate the tile spawned in, from 0 in cell order.
    pub nth: u8,
    /// The spawned tile's rank.
    pub rank: u8,
}

/// A game, as it was played or is said to have been.
#[derive(Clone, Debug)]
pub struct Record<G: Game> {
    /// The first board.
    pub start: G::Board,
    /// All moves.
    pub steps: Vec<Step>,
}

/// What a record says that the rules do not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordFault {
    /// No game begins like that.
    #[error("it begins with a board that no game begins with")]
    Start,
    /// There is no such move.
    #[error("move {number} is {direction}, which is not legal there")]
    Move {
        /// The move's number, from 1.
        number: u64,
        /// The move.
        direction: Direction,
    },
    /// There is no such spawn.
    #[error("the spawn after move {number} is not one that the rules allow")]
    Spawn {
        /// The move's number, from 1.
        number: u64,
    },
    /// It ends too soon.
    #[error("it stops after move {moves}, where the game goes on")]
    Unfinished {
        /// Its moves.
        moves: u64,
    },
}

impl<G: Game> Record<G> {
    /// A record that begins with this board.
    pub fn new(start: G::Board) -> Record<G> {
        Record {
            start,
            steps: Vec::new(),
        }
    }

    /// Adds a move that led to an afterstate, and to a board with the spawn.
    pub(crate) fn push(
        &mut self,
        game: &G,
        direction: Direction,
        afterstate: G::Afterstate,
        board: G::Board,
    ) {
        let mut nth = 0;
        for cell in 0..game.rules().geometry().cells() {
            if afterstate.rank(cell) != 0 {
                continue;
            }
            let rank = board.rank(cell);
            if rank != 0 {
                let step = Step {
                    direction,
                    nth,
                    rank,
                };
                self.steps.push(step);
                return;
            }
            nth += 1;
        }
        debug_assert!(false, "a spawn follows every move");
    }

    /// Plays the record from its start.
    pub fn replay<'a>(&'a self, game: &'a G) -> Replay<'a, G> {
        Replay {
            game,
            steps: &self.steps,
            board: self.start,
            score: 0,
            moves: 0,
        }
    }

    /// How the game ended.
    ///
    /// # Errors
    /// When it is no whole game by the rules.
    pub fn outcome(&self, game: &G) -> Result<Outcome, RecordFault> {
        let spawned = self.start_tiles(game);
        if spawned != Some(game.rules().start_tiles) {
            return Err(RecordFault::Start);
        }
        let mut replay = self.replay(game);
        while replay.advance()?.is_some() {}
        let moves = replay.moves;
        match game.slides(replay.board).iter().all(Option::is_none) {
            true => Ok(replay.outcome()),
            false => Err(RecordFault::Unfinished { moves }),
        }
    }

    /// The number of tiles on the first board, if all of them can spawn.
    fn start_tiles(&self, game: &G) -> Option<u32> {
        let ranks = game.ranks(&self.start).into_iter();
        let mut tiles = 0;
        for rank in ranks.filter(|&rank| rank != 0) {
            can_spawn(game, rank).then(|| tiles += 1)?;
        }
        Some(tiles)
    }
}

/// A record that is being played.
pub struct Replay<'a, G: Game> {
    game: &'a G,
    steps: &'a [Step],
    /// The position, player to move.
    pub board: G::Board,
    /// Sum of rewards so far.
    pub score: u64,
    /// Moves so far.
    pub moves: u64,
}

impl<G: Game> Replay<'_, G> {
    /// The next move, if there is one.
    pub fn upcoming(&self) -> Option<Direction> {
        Some(self.steps.get(self.moves as usize)?.direction)
    }

    /// Plays the next move, if there is one, and says which it was.
    ///
    /// # Errors
    /// When the rules do not allow it.
    pub fn advance(&mut self) -> Result<Option<Direction>, RecordFault> {
        let Some(&step) = self.steps.get(self.moves as usize) else {
            return Ok(None);
        };
        let (number, direction) = (self.moves + 1, step.direction);
        let slid = self.game.slide(self.board, direction);
        let (afterstate, reward) = slid.ok_or(RecordFault::Move { number, direction })?;
        let nth = u32::from(step.nth);
        if nth >= self.game.empty_cells(afterstate) || !can_spawn(self.game, step.rank) {
            return Err(RecordFault::Spawn { number });
        }
        self.board = self.game.place(afterstate, nth, step.rank);
        self.score += u64::from(reward);
        self.moves = number;
        Ok(Some(direction))
    }

    /// The result so far.
    pub fn outcome(&self) -> Outcome {
        Outcome {
            score: self.score,
            moves: self.moves,
            largest_rank: self.game.largest_rank(&self.board),
        }
    }
}

fn can_spawn<G: Game>(game: &G, rank: u8) -> bool {
    game.rules().spawn.iter().any(|odds| odds.rank() == rank)
}
