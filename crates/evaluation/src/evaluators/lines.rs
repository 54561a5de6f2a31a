//! Sums over rows and columns, from tables where these fit.

use engine::{Game, MAX_LINES};
use std::sync::Arc;

/// The value of one row or column by its ranks from end to end.
pub(crate) type LineFunction = Box<dyn Fn(&[u8]) -> f32 + Send + Sync>;

/// Contents of a line up to which they are tabulated: 4 MiB of values.
const MAX_ENTRIES: usize = 1 << 20;

/// Cells of the longest line.
pub(super) const MAX_LENGTH: usize = MAX_LINES / 2;

/// The sum of a function over all rows and columns.
pub(crate) struct LineSum<G> {
    game: G,
    function: LineFunction,
    rows: Arc<Lines>,
    /// The same as `rows` on square boards.
    columns: Arc<Lines>,
}

/// What is known of all lines of one length.
struct Lines {
    /// Cells in a line.
    length: usize,
    /// The function's values by line code; empty if there are too many.
    values: Vec<f32>,
}

impl<G: Game> LineSum<G> {
    pub(crate) fn new(game: &G, function: LineFunction) -> Self {
        let geometry = game.rules().geometry();
        let rows = Arc::new(Lines::new::<G>(&function, geometry.columns));
        let columns = match geometry.rows == geometry.columns {
            true => rows.clone(),
            false => Arc::new(Lines::new::<G>(&function, geometry.rows)),
        };
        LineSum {
            game: game.clone(),
            function,
            rows,
            columns,
        }
    }

    #[inline]
    pub(crate) fn sum(&self, afterstate: G::Afterstate) -> f32 {
        let mut codes = [0; MAX_LINES];
        self.game.line_codes(afterstate, &mut codes);
        // There are as many rows as a column has cells.
        let (rows, columns) = codes.split_at(self.columns.length);
        self.sum_of(&self.rows, rows) + self.sum_of(&self.columns, &columns[..self.rows.length])
    }

    #[inline]
    fn sum_of(&self, lines: &Lines, codes: &[u32]) -> f32 {
        let value = |&code: &u32| match lines.values.get(code as usize) {
            Some(&value) => value,
            None => (self.function)(&ranks_of::<G>(code)[..lines.length]),
        };
        codes.iter().map(value).sum()
    }
}

impl Lines {
    fn new<G: Game>(function: &LineFunction, length: usize) -> Lines {
        let entries = 1_usize << (G::LINE_BITS as usize * length);
        let codes = match entries <= MAX_ENTRIES {
            true => 0..entries as u32,
            false => 0..0,
        };
        let value = |code| function(&ranks_of::<G>(code)[..length]);
        Lines {
            length,
            values: codes.map(value).collect(),
        }
    }
}

/// The ranks of a line by its code.
pub(super) fn ranks_of<G: Game>(code: u32) -> [u8; MAX_LENGTH] {
    std::array::from_fn(|position| match G::LINE_BITS as usize * position {
        shift if shift < 32 => (code >> shift & ((1 << G::LINE_BITS) - 1)) as u8,
        _ => 0,
    })
}

/// The code of a line by its ranks.
pub(super) fn code_of<G: Game>(ranks: &[u8; MAX_LENGTH]) -> u32 {
    let ranks = ranks.iter().rev();
    ranks.fold(0, |code, &rank| code << G::LINE_BITS | u32::from(rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Cells, Classic, Rules, Variant};

    /// Tells the cells of a line apart.
    fn weighted(ranks: &[u8]) -> f32 {
        let cells = ranks.iter().zip(1_u8..);
        cells.map(|(rank, weight)| f32::from(rank * weight)).sum()
    }

    fn plainly<G: Game>(game: &G, afterstate: G::Afterstate) -> f32 {
        let (rows, columns) = (game.rules().rows, game.rules().columns);
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let weight = |(row, column)| {
            f32::from(afterstate.rank(row * columns + column)) * (row + column + 2) as f32
        };
        cells.map(weight).sum()
    }

    /// The entries of the tables for rows and for columns.
    fn check<G: Game>(game: &G) -> [usize; 2] {
        let sum = LineSum::new(game, Box::new(weighted));
        for seed in 0..20 {
            let cells = 0..game.rules().geometry().cells();
            let ranks: Vec<u8> = cells.map(|cell| ((cell * 7 + seed) % 13) as u8).collect();
            let afterstate = game.awaiting_spawn(game.board_of_ranks(&ranks));
            assert_eq!(sum.sum(afterstate), plainly(game, afterstate));
        }
        [&sum.rows, &sum.columns].map(|lines| lines.values.len())
    }

    #[test]
    fn tables_and_computed_lines_say_the_same() {
        assert_eq!(check(&Classic), [65_536; 2]);
        for (rows, columns, entries) in [
            (3, 3, [1 << 15; 2]),
            (2, 4, [1 << 20, 1 << 10]),
            (5, 4, [1 << 20, 0]),
            (5, 5, [0, 0]),
        ] {
            let game = Variant::new(Rules::sized(rows, columns)).expect("playable");
            assert_eq!(check(&game), entries);
        }
    }
}
