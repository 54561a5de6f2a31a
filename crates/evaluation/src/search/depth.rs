//! How deep to search, by the position.

use engine::{Cells, Game};
use std::fmt;
use std::str::FromStr;

/// How deep to search: the number of the player's moves looked at.
///
/// Written `3`, `empty:2-4` or `tiles:4-7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthRule {
    /// Always the same.
    Fixed(u32),
    /// Deeper the fewer cells are empty: the greatest depth with up to two, one less for every three more.
    ByEmptyCells {
        /// The least depth.
        least: u32,
        /// The greatest depth.
        greatest: u32,
    },
    /// Deeper the more kinds of tiles there are: one less than the number of distinct tiles (nneonneo's rule).
    ByDistinctTiles {
        /// The least depth.
        least: u32,
        /// The greatest depth.
        greatest: u32,
    },
}

/// Longer than any game on a board of up to 8 cells.
const MAX_DEPTH: u32 = 600;

impl DepthRule {
    /// The depth for a board.
    pub fn depth<G: Game>(self, game: &G, board: G::Board) -> u32 {
        let ranks = || (0..game.rules().geometry().cells()).map(|cell| board.rank(cell));
        match self {
            DepthRule::Fixed(depth) => depth,
            DepthRule::ByEmptyCells { least, greatest } => {
                let empty = ranks().filter(|&rank| rank == 0).count() as u32;
                greatest.saturating_sub(empty / 3).max(least)
            }
            DepthRule::ByDistinctTiles { least, greatest } => {
                let kinds = ranks().fold(0_u32, |kinds, rank| kinds | 1 << rank) >> 1;
                kinds.count_ones().saturating_sub(1).clamp(least, greatest)
            }
        }
    }
}

impl FromStr for DepthRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "'{text}' is no depth: expected a number from 1 to {MAX_DEPTH}, such as 3, or empty:LEAST-GREATEST or tiles:LEAST-GREATEST, such as tiles:3-6"
            )
        };
        let number = |text: &str| {
            let number = text.parse().ok();
            number
                .filter(|depth| (1..=MAX_DEPTH).contains(depth))
                .ok_or_else(expected)
        };
        let Some((rule, range)) = text.split_once(':') else {
            return Ok(DepthRule::Fixed(number(text)?));
        };
        let (least, greatest) = range.split_once('-').ok_or_else(expected)?;
        let (least, greatest) = (number(least)?, number(greatest)?);
        match rule {
            _ if least > greatest => Err(expected()),
            "empty" => Ok(DepthRule::ByEmptyCells { least, greatest }),
            "tiles" => Ok(DepthRule::ByDistinctTiles { least, greatest }),
            _ => Err(expected()),
        }
    }
}

impl fmt::Display for DepthRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DepthRule::Fixed(depth) => write!(f, "{depth}"),
            DepthRule::ByEmptyCells { least, greatest } => write!(f, "empty:{least}-{greatest}"),
            DepthRule::ByDistinctTiles { least, greatest } => write!(f, "tiles:{least}-{greatest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Classic;

    #[test]
    fn depths_follow_the_board() {
        let full = Classic
            .parse_board("2 4 8 16/32 64 128 256/2 4 8 16/2 4 8 0")
            .expect("a board");
        let open = Classic
            .parse_board("2 4 0 0/0 0 0 0/0 0 0 0/0 0 0 0")
            .expect("a board");
        for (rule, of_full, of_open) in [
            ("3", 3, 3),
            ("empty:2-5", 5, 2),
            ("empty:1-9", 9, 5),
            ("tiles:3-6", 6, 3),
            ("tiles:1-9", 7, 1),
        ] {
            let parsed: DepthRule = rule.parse().expect(rule);
            assert_eq!(parsed.to_string(), rule);
            assert_eq!(
                (parsed.depth(&Classic, full), parsed.depth(&Classic, open)),
                (of_full, of_open),
                "{rule}"
            );
        }
        for text in [
            "",
            "0",
            "-1",
            "x",
            "tiles",
            "tiles:",
            "tiles:3",
            "tiles:5-3",
            "empty:0-2",
            "both:1-2",
            "99999999999",
        ] {
            assert!(text.parse::<DepthRule>().is_err(), "{text}");
        }
    }
}
