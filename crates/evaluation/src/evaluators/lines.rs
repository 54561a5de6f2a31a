//! Sums over rows and columns, from tables where these fit.

use engine::{Game, MAX_LINES};

/// The value of one row or column by its ranks from end to end.
pub(crate) type LineFunction = Box<dyn Fn(&[u8]) -> f32 + Send + Sync>;

/// Contents of a line up to which they are tabulated: 4 MiB of values.
const MAX_ENTRIES: usize = 1 << 20;

/// The sum of a function over all rows and columns.
pub(crate) struct LineSum<G> {
    game: G,
    function: LineFunction,
    /// Number of rows, which come first, then all lines.
    rows: usize,
    lines: usize,
    /// Cells in a row and in a column.
    lengths: [usize; 2],
    /// The function's values by line code for rows and for columns; empty if there are too many.
    tables: [Vec<f32>; 2],
}

impl<G: Game> LineSum<G> {
    pub(crate) fn new(game: &G, function: LineFunction) -> Self {
        let geometry = game.rules().geometry();
        let lengths = [geometry.columns, geometry.rows];
        let tables = lengths.map(|length| {
            let entries = 1_usize << (G::LINE_BITS as usize * length);
            if entries > MAX_ENTRIES {
                return Vec::new();
            }
            (0..entries as u32)
                .map(|code| on_line::<G>(&function, code, length))
                .collect()
        });
        LineSum {
            game: game.clone(),
            function,
            rows: geometry.rows,
            lines: geometry.rows + geometry.columns,
            lengths,
            tables,
        }
    }

    #[inline]
    pub(crate) fn sum(&self, afterstate: G::Afterstate) -> f32 {
        let mut codes = [0; MAX_LINES];
        self.game.line_codes(afterstate, &mut codes);
        let (rows, columns) = codes[..self.lines].split_at(self.rows);
        self.sum_of(0, rows) + self.sum_of(1, columns)
    }

    #[inline]
    fn sum_of(&self, kind: usize, codes: &[u32]) -> f32 {
        let table = &self.tables[kind];
        let value = |&code: &u32| match table.get(code as usize) {
            Some(&value) => value,
            None => on_line::<G>(&self.function, code, self.lengths[kind]),
        };
        codes.iter().map(value).sum()
    }
}

/// The function's value of a line by its code.
fn on_line<G: Game>(function: &LineFunction, code: u32, length: usize) -> f32 {
    let mut ranks = [0; MAX_LINES / 2];
    for (cell, rank) in ranks[..length].iter_mut().enumerate() {
        *rank = (code >> (G::LINE_BITS as usize * cell) & ((1 << G::LINE_BITS) - 1)) as u8;
    }
    function(&ranks[..length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Cells, Classic, Rules, Variant};

    /// Tells the cells of a line apart.
    fn weighted(ranks: &[u8]) -> f32 {
        let cells = ranks.iter().zip(1..);
        cells
            .map(|(&rank, weight)| f32::from(rank) * weight as f32)
            .sum()
    }

    fn plainly<G: Game>(game: &G, afterstate: G::Afterstate) -> f32 {
        let (rows, columns) = (game.rules().rows, game.rules().columns);
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let weight = |(row, column)| {
            f32::from(afterstate.rank(row * columns + column)) * (row + column + 2) as f32
        };
        cells.map(weight).sum()
    }

    fn check<G: Game>(game: &G) -> LineSum<G> {
        let sum = LineSum::new(game, Box::new(weighted));
        for seed in 0..20 {
            let cells = game.rules().geometry().cells();
            let ranks: Vec<u8> = (0..cells)
                .map(|cell| ((cell * 7 + seed) % 13) as u8)
                .collect();
            let afterstate = game.awaiting_spawn(game.board_of_ranks(&ranks));
            assert_eq!(sum.sum(afterstate), plainly(game, afterstate));
        }
        sum
    }

    #[test]
    fn tables_and_computed_lines_say_the_same() {
        let tabulated = check(&Classic).tables.map(|table| table.len());
        assert_eq!(tabulated, [65_536; 2]);
        for (rows, columns, lengths) in [
            (3, 3, [32_768; 2]),
            (2, 4, [1 << 20, 1 << 10]),
            (5, 4, [1 << 20, 0]),
        ] {
            let game = Variant::new(Rules::sized(rows, columns)).expect("playable");
            assert_eq!(check(&game).tables.map(|table| table.len()), lengths);
        }
    }
}
