use crate::{BoardError, Direction, GameRng, Rules, text};
use rand::Rng;
use std::fmt::Debug;
use std::hash::Hash;

/// A position whose cells can be read: a board or an afterstate.
pub trait Cells: Copy + Debug + Eq + Hash + Send + Sync + 'static {
    /// The rank in a cell; 0 is empty. Cells are numbered row by row from the top left.
    fn rank(&self, cell: usize) -> u8;

    /// A number to know the position by in tables. Different positions have different ones, or, where 64 bits
    /// cannot hold the position, almost surely so.
    fn fingerprint(&self) -> u64;
}

/// Rows and columns of the largest board.
pub const MAX_LINES: usize = 10;

/// Cells of the largest board.
pub const MAX_CELLS: usize = 25;

/// A legal move's result: the afterstate, and the sum of the tiles made by its merges.
pub type Slide<G> = (<G as Game>::Afterstate, u32);

/// A game of the 2048 family: what boards there are, how they slide, what spawns.
///
/// Every method is a pure function of its arguments.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A position with the player to move.
    type Board: Cells;
    /// A position after the player's slide, with a spawn due.
    type Afterstate: Cells;

    /// The rules that this game plays.
    fn rules(&self) -> &Rules;

    /// The result of sliding in one direction, or `None` if that is not legal: nothing would change, or the
    /// game has ended.
    fn slide(&self, board: Self::Board, direction: Direction) -> Option<Slide<Self>>;

    /// The results of all four slides, by `direction as usize`.
    fn slides(&self, board: Self::Board) -> [Option<Slide<Self>>; 4] {
        Direction::ALL.map(|direction| self.slide(board, direction))
    }

    /// The number of empty cells.
    fn empty_cells(&self, afterstate: Self::Afterstate) -> u32;

    /// The board after a tile of the given rank spawns in the `nth` empty cell (from 0, in cell order).
    /// `nth` must be below [`Game::empty_cells`].
    fn place(&self, afterstate: Self::Afterstate, nth: u32, rank: u8) -> Self::Board;

    /// The boards after a tile of the given rank spawns, one for each empty cell in cell order.
    fn placements(
        &self,
        afterstate: Self::Afterstate,
        rank: u8,
    ) -> impl Iterator<Item = Self::Board> {
        (0..self.empty_cells(afterstate)).map(move |nth| self.place(afterstate, nth, rank))
    }

    /// Bits a cell in the numbers of [`Game::line_codes`].
    const LINE_BITS: u32;

    /// The contents of each row, then each column, as numbers: [`Game::LINE_BITS`] a cell, the first cell lowest,
    /// ranks too large for the bits as the largest that fits. As many numbers as there are rows and columns.
    fn line_codes(&self, position: Self::Afterstate, codes: &mut [u32; MAX_LINES]);

    /// The rank that spawns for a uniformly random 32-bit number.
    fn spawned_rank(&self, random: u32) -> u8;

    /// The same cells with a spawn due, as for the second start tile.
    fn awaiting_spawn(&self, board: Self::Board) -> Self::Afterstate;

    /// The board whose cells have these ranks, without asking whether play can reach it.
    /// `ranks` must have one entry a cell, each a rank that the board can hold; see [`Game::is_possible`].
    fn board_of_ranks(&self, ranks: &[u8]) -> Self::Board;

    /// The board after a fair spawn: a uniformly random empty cell, a tile by the rules' odds. Takes one
    /// 64-bit draw: its high half picks the cell (with a bias below 2^-27), its low half the tile. At least
    /// one cell must be empty, as it always is after a legal move.
    fn spawn(&self, afterstate: Self::Afterstate, rng: &mut GameRng) -> Self::Board {
        let draw = rng.next_u64();
        let nth = (((draw >> 32) * u64::from(self.empty_cells(afterstate))) >> 32) as u32;
        self.place(afterstate, nth, self.spawned_rank(draw as u32))
    }

    /// Every board that a fair spawn can give, with its probability.
    fn spawns(&self, afterstate: Self::Afterstate) -> Vec<(Self::Board, f64)> {
        let empty = self.empty_cells(afterstate);
        let mut boards = Vec::with_capacity(empty as usize * self.rules().spawn.len());
        for nth in 0..empty {
            for odds in &self.rules().spawn {
                let board = self.place(afterstate, nth, odds.rank());
                boards.push((board, odds.probability / f64::from(empty)));
            }
        }
        boards
    }

    /// The board without a tile.
    fn empty_board(&self) -> Self::Board {
        self.board_of_ranks(&vec![0; self.rules().geometry().cells()])
    }

    /// A random board to start a game from.
    fn start(&self, rng: &mut GameRng) -> Self::Board {
        (0..self.rules().start_tiles).fold(self.empty_board(), |board, _| {
            self.spawn(self.awaiting_spawn(board), rng)
        })
    }

    /// The ranks of all cells.
    fn ranks(&self, position: &impl Cells) -> Vec<u8> {
        (0..self.rules().geometry().cells())
            .map(|cell| position.rank(cell))
            .collect()
    }

    /// The rank of the largest tile.
    fn largest_rank(&self, position: &impl Cells) -> u8 {
        let cells = 0..self.rules().geometry().cells();
        cells.map(|cell| position.rank(cell)).max().unwrap_or(0)
    }

    /// Whether some tile's rank is at least `least`.
    fn has_rank_from(&self, position: Self::Afterstate, least: u8) -> bool {
        self.largest_rank(&position) >= least
    }

    /// Whether these are the ranks of a board that play can go on from: one a cell, none above the largest, and
    /// not more in sum than a board can hold.
    fn is_possible(&self, ranks: &[u8]) -> bool {
        text::is_possible(self.rules(), ranks)
    }

    /// The board that a text shows: tile values by rows, 0 for an empty cell, spaces between tiles and `/`
    /// or line ends between rows.
    ///
    /// # Errors
    /// When the text has another shape, a number that is no tile, or more than play can put on a board.
    fn parse_board(&self, text: &str) -> Result<Self::Board, BoardError> {
        text::parse(self, text)
    }

    /// The tile values of a position in the form that [`Game::parse_board`] reads.
    fn write_cells(&self, position: &impl Cells) -> String {
        text::write_cells(self, position)
    }

    /// A drawing of a position for people, of several lines.
    fn draw(&self, position: &impl Cells) -> String {
        text::draw(self, position)
    }
}
