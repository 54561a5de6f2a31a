//! Positions as text: tile values, never ranks.

use crate::{Cells, Game, Rules, rank, tile};

/// Why a text is not a board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardError {
    /// The rows or columns are not those of the rules.
    #[error(
        "the board has {found}, expected {rows} rows of {columns} tiles, such as '2 4 .. / 0 8 .. / ..' with 0 for an empty cell"
    )]
    Shape {
        /// What was found.
        found: String,
        /// Rows expected.
        rows: usize,
        /// Columns expected.
        columns: usize,
    },
    /// A number that is no tile of this game.
    #[error(
        "'{found}' is not a tile, expected 0 for an empty cell or a power of two from 2 to {largest}"
    )]
    Tile {
        /// What was found.
        found: String,
        /// The largest tile that the game can make.
        largest: u64,
    },
    /// More on the board than play can put there.
    #[error("the tiles sum to {found}, play cannot put more than {largest} on this board")]
    Sum {
        /// The sum found.
        found: u64,
        /// The largest sum possible.
        largest: u64,
    },
}

/// Text of positions, for every game.
pub(crate) fn parse<G: Game>(game: &G, text: &str) -> Result<G::Board, BoardError> {
    let geometry = game.rules().geometry();
    let shape = |found| BoardError::Shape {
        found,
        rows: geometry.rows,
        columns: geometry.columns,
    };
    let rows: Vec<&str> = text.trim().split(['/', '\n']).collect();
    if rows.len() != geometry.rows {
        return Err(shape(format!("{} rows", rows.len())));
    }
    let largest_rank = game.rules().largest_rank();
    let mut ranks = Vec::with_capacity(geometry.cells());
    for row in rows {
        let tiles: Vec<&str> = row.split_whitespace().collect();
        if tiles.len() != geometry.columns {
            return Err(shape(format!("a row of {} tiles", tiles.len())));
        }
        for found in tiles {
            let parsed = found.parse().ok().and_then(rank);
            ranks.push(
                parsed
                    .filter(|&r| r <= largest_rank)
                    .ok_or_else(|| BoardError::Tile {
                        found: found.to_owned(),
                        largest: tile(largest_rank),
                    })?,
            );
        }
    }
    let (found, largest) = (sum(&ranks), game.rules().largest_sum());
    if found > largest {
        return Err(BoardError::Sum { found, largest });
    }
    Ok(game.board_of_ranks(&ranks))
}

fn sum(ranks: &[u8]) -> u64 {
    ranks.iter().map(|&rank| tile(rank)).sum()
}

/// Whether these are the ranks of a board that the game can go on from.
pub(crate) fn is_possible(rules: &Rules, ranks: &[u8]) -> bool {
    ranks.len() == rules.geometry().cells()
        && ranks.iter().all(|&rank| rank <= rules.largest_rank())
        && sum(ranks) <= rules.largest_sum()
}

/// Rows of tile values separated by `/`.
pub(crate) fn write_cells<G: Game>(game: &G, position: &impl Cells) -> String {
    let ranks = game.ranks(position);
    let rows = ranks.chunks(game.rules().columns).map(|row| {
        let tiles: Vec<String> = row.iter().map(|&r| tile(r).to_string()).collect();
        tiles.join(" ")
    });
    rows.collect::<Vec<_>>().join("/")
}

/// A drawing of several lines, with empty cells blank.
pub(crate) fn draw<G: Game>(game: &G, position: &impl Cells) -> String {
    let ranks = game.ranks(position);
    let rule = format!("+{}", "-------+".repeat(game.rules().columns));
    let mut drawing = rule.clone();
    for row in ranks.chunks(game.rules().columns) {
        drawing += "\n|";
        for &r in row {
            let text = if r == 0 {
                String::new()
            } else {
                tile(r).to_string()
            };
            drawing += &format!("{text:>6} |");
        }
        drawing += "\n";
        drawing += &rule;
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Classic, Rules, Variant};

    #[test]
    fn text_round_trips() {
        let text = "2 4 8 16/0 2 4 64/0 0 2 128/0 0 2 131072";
        let board = Classic.parse_board(text).expect("a legal board");
        assert_eq!(Classic.write_cells(&board), text);
        let spaced = "  2 4 8 16\n0 2  4 64\n0 0 2 128\n0 0 2 131072\n";
        assert_eq!(Classic.parse_board(spaced), Ok(board));
        let small = Variant::new(Rules::sized(2, 3)).expect("playable");
        let board = small.parse_board("0 2 128/4 0 0").expect("a legal board");
        assert_eq!(
            small.draw(&board),
            "+-------+-------+-------+\n|       |     2 |   128 |\n+-------+-------+-------+\n|     4 |       |       |\n+-------+-------+-------+"
        );
    }

    #[test]
    fn impossible_boards_are_refused_with_what_was_expected() {
        let row = "131072 65536 65536 0/0 0 0 0/0 0 0 0/0 0 0 0";
        for (text, part) in [
            ("", "1 rows"),
            ("2 2 2/2 2 2/2 2 2", "3 rows"),
            ("2 2 2/2 2 2/2 2 2/2 2 2", "a row of 3 tiles"),
            ("1 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0", "'1' is not a tile"),
            ("x 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0", "'x' is not a tile"),
            ("-2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0", "'-2' is not a tile"),
            ("262144 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0", "from 2 to 131072"),
            (row, "sum to 262144"),
        ] {
            let error = Classic.parse_board(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let full = "131072 65536 32768 16384/1024 2048 4096 8192/512 256 128 64/4 8 16 32";
        assert!(Classic.parse_board(full).is_ok());
    }
}
