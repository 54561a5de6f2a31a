use crate::Direction;
use serde::{Deserialize, Serialize};

/// The shape of a board. Cells are numbered row by row from the top left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Geometry {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

impl Geometry {
    /// The number of cells.
    pub const fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// The rotations and reflections that map the board onto itself: 8 of a square, 4 of a rectangle. Each is
    /// a table of cells, `image[cell] = source[table[cell]]`; the identity comes first.
    pub fn symmetries(self) -> Vec<Vec<usize>> {
        let Geometry { rows, columns } = self;
        let transposes: &[bool] = if rows == columns {
            &[false, true]
        } else {
            &[false]
        };
        let mut symmetries = Vec::new();
        for &transpose in transposes {
            for (flip, mirror) in [(false, false), (false, true), (true, false), (true, true)] {
                let source = |cell: usize| {
                    let (mut row, mut column) = (cell / columns, cell % columns);
                    if transpose {
                        (row, column) = (column, row);
                    }
                    if flip {
                        row = rows - 1 - row;
                    }
                    if mirror {
                        column = columns - 1 - column;
                    }
                    row * columns + column
                };
                symmetries.push((0..self.cells()).map(source).collect());
            }
        }
        symmetries
    }

    /// The lines along which tiles slide in a direction: each a list of cells that begins at the edge they
    /// slide towards.
    pub fn lines(self, direction: Direction) -> Vec<Vec<usize>> {
        let Geometry { rows, columns } = self;
        let row = |r: usize| (0..columns).map(move |c| r * columns + c);
        let column = |c: usize| (0..rows).map(move |r| r * columns + c);
        match direction {
            Direction::Left => (0..rows).map(|r| row(r).collect()).collect(),
            Direction::Right => (0..rows).map(|r| row(r).rev().collect()).collect(),
            Direction::Up => (0..columns).map(|c| column(c).collect()).collect(),
            Direction::Down => (0..columns).map(|c| column(c).rev().collect()).collect(),
        }
    }
}

impl std::fmt::Display for Geometry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn symmetries_are_distinct_permutations_and_form_a_group() {
        for (rows, columns, count) in [(2, 2, 8), (3, 3, 8), (4, 4, 8), (2, 3, 4), (5, 4, 4)] {
            let symmetries = Geometry { rows, columns }.symmetries();
            let set: HashSet<_> = symmetries.iter().cloned().collect();
            assert_eq!(set.len(), count, "{rows}x{columns}");
            assert!(symmetries[0].iter().copied().eq(0..rows * columns));
            for a in &symmetries {
                for b in &symmetries {
                    let product: Vec<usize> = a.iter().map(|&cell| b[cell]).collect();
                    assert!(set.contains(&product));
                }
            }
        }
    }

    #[test]
    fn lines_start_at_the_edge_tiles_move_to() {
        let board = Geometry {
            rows: 2,
            columns: 3,
        };
        assert_eq!(
            board.lines(Direction::Right),
            vec![vec![2, 1, 0], vec![5, 4, 3]]
        );
        assert_eq!(
            board.lines(Direction::Down),
            vec![vec![3, 0], vec![4, 1], vec![5, 2]]
        );
    }
}
