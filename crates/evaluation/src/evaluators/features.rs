//! The features of the heuristic and their weights.
//!
//! A new feature is a function here, a line in [`FEATURES`], and a line in `weights.toml`.

use std::collections::BTreeMap;

/// What a feature looks at.
#[derive(Clone, Copy)]
pub(super) enum Feature {
    /// One row or column, by its ranks; summed over all of them.
    Line {
        of: fn(&[u8]) -> f32,
        /// The least and the greatest value of a line of so many cells, with ranks up to so much.
        range: fn(f32, f32) -> [f32; 2],
    },
    /// The whole board, by the ranks of all cells and the number of columns: from 0 to the largest rank.
    Board(BoardFeature),
}

pub(super) type BoardFeature = fn(&[u8], usize) -> f32;

/// All features by the names of their weights.
pub(super) const FEATURES: [(&str, Feature); 6] = [
    (
        "empty",
        Feature::Line {
            of: empty,
            range: |cells, _| [0.0, cells / 2.0],
        },
    ),
    (
        "monotonicity",
        Feature::Line {
            of: monotonicity,
            range: |cells, rank| [-cells * rank * rank, 0.0],
        },
    ),
    (
        "smoothness",
        Feature::Line {
            of: smoothness,
            range: |cells, rank| [-cells * rank, 0.0],
        },
    ),
    (
        "merges",
        Feature::Line {
            of: merges,
            range: |cells, _| [0.0, cells - 1.0],
        },
    ),
    ("largest", Feature::Board(largest)),
    ("corner", Feature::Board(corner)),
];

/// Empty cells: every cell is in one row and one column, and counts half in each.
fn empty(line: &[u8]) -> f32 {
    line.iter().filter(|&&rank| rank == 0).count() as f32 / 2.0
}

/// How far the line is from ranks that only rise or only fall: 0 if they do, else below. Steps between large
/// tiles count more, as the differences of the squares of ranks.
fn monotonicity(line: &[u8]) -> f32 {
    let (mut rises, mut falls) = (0.0_f32, 0.0);
    for pair in line.windows(2) {
        let step = f32::from(pair[1]).powi(2) - f32::from(pair[0]).powi(2);
        rises += step.max(0.0);
        falls -= step.min(0.0);
    }
    -rises.min(falls)
}

/// Differences of rank between neighbouring tiles, empty cells left out; 0 or below.
fn smoothness(line: &[u8]) -> f32 {
    let pairs = line.windows(2).filter(|pair| pair[0] != 0 && pair[1] != 0);
    -pairs
        .map(|pair| f32::from(pair[0].abs_diff(pair[1])))
        .sum::<f32>()
}

/// Equal tiles with nothing but empty cells between them: what the next move could merge.
fn merges(line: &[u8]) -> f32 {
    let tiles: Vec<u8> = line.iter().copied().filter(|&rank| rank != 0).collect();
    tiles.windows(2).filter(|pair| pair[0] == pair[1]).count() as f32
}

/// The rank of the largest tile.
fn largest(ranks: &[u8], _columns: usize) -> f32 {
    f32::from(ranks.iter().copied().max().unwrap_or(0))
}

/// The rank of the largest tile if it is in a corner, else 0.
fn corner(ranks: &[u8], columns: usize) -> f32 {
    let corners = [0, columns - 1, ranks.len() - columns, ranks.len() - 1];
    let in_corner = f32::from(
        corners
            .map(|cell| ranks[cell])
            .into_iter()
            .max()
            .unwrap_or(0),
    );
    if in_corner == largest(ranks, columns) {
        in_corner
    } else {
        0.0
    }
}

/// The set that ships, with a word on each weight.
const SHIPPED: &str = include_str!("weights.toml");

/// What being alive and each feature count in a [`super::Heuristic`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// What a living board is worth before its features: how much death is feared.
    pub alive: f32,
    /// One weight a feature.
    pub(super) features: [f32; FEATURES.len()],
}

/// Why a text is no set of weights.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// It is not TOML of the form `name = number`.
    #[error("{0}")]
    Toml(String),
    /// There is no such weight.
    #[error("there is no weight '{name}'; there are {known}")]
    Unknown {
        /// The name found.
        name: String,
        /// All names.
        known: String,
    },
    /// A weight that is not a number, or too large to reckon with.
    #[error("weight '{name}' is {value:?}, expected a number from -1e6 to 1e6")]
    Number {
        /// Its name.
        name: String,
        /// What was found.
        value: f64,
    },
}

impl Weights {
    /// Reads weights from TOML: `name = number`, a line each. Those left out keep the value that ships.
    ///
    /// # Errors
    /// When the text is something else, or names a weight that there is not.
    pub fn from_toml(text: &str) -> Result<Weights, WeightsError> {
        let mut weights = Weights::default();
        weights.set(text)?;
        Ok(weights)
    }

    fn set(&mut self, text: &str) -> Result<(), WeightsError> {
        let given: BTreeMap<String, f64> = engine::from_toml(text).map_err(WeightsError::Toml)?;
        for (name, value) in given {
            let position = FEATURES.iter().position(|(known, _)| *known == name);
            let weight = match position {
                Some(position) => &mut self.features[position],
                None if name == "alive" => &mut self.alive,
                None => {
                    let known: Vec<&str> = FEATURES.iter().map(|(name, _)| *name).collect();
                    let known = format!("alive, {}", known.join(", "));
                    return Err(WeightsError::Unknown { name, known });
                }
            };
            if value.is_nan() || value.abs() > 1e6 {
                return Err(WeightsError::Number { name, value });
            }
            *weight = value as f32;
        }
        Ok(())
    }
}

impl Default for Weights {
    /// The set that ships.
    fn default() -> Self {
        let mut weights = Weights {
            alive: 0.0,
            features: [0.0; FEATURES.len()],
        };
        // A test reads it; a fault here would be one of the build.
        let read = weights.set(SHIPPED);
        debug_assert_eq!(read, Ok(()));
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_lines_count_what_they_say() {
        for (line, expected) in [
            ([0, 0, 0, 0], [2.0, 0.0, 0.0, 0.0]),
            ([1, 2, 3, 4], [0.0, 0.0, -3.0, 0.0]),
            ([4, 3, 2, 1], [0.0, 0.0, -3.0, 0.0]),
            ([3, 3, 3, 1], [0.0, 0.0, -2.0, 2.0]),
            ([1, 0, 1, 5], [0.5, -1.0, -4.0, 1.0]),
            ([2, 3, 2, 3], [0.0, -5.0, -3.0, 0.0]),
        ] {
            let found = [
                empty(&line),
                monotonicity(&line),
                smoothness(&line),
                merges(&line),
            ];
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn features_of_boards_look_at_the_largest_tile() {
        for (ranks, expected) in [
            ([1, 2, 3, 4, 5, 6], (6.0, 6.0)),
            ([1, 6, 3, 4, 5, 2], (6.0, 0.0)),
            ([1, 6, 3, 6, 5, 2], (6.0, 6.0)),
            ([0; 6], (0.0, 0.0)),
        ] {
            assert_eq!(
                (largest(&ranks, 3), corner(&ranks, 3)),
                expected,
                "{ranks:?}"
            );
        }
    }

    #[test]
    fn weights_are_read_over_those_that_ship() {
        let mut shipped = Weights {
            alive: f32::NAN,
            features: [f32::NAN; FEATURES.len()],
        };
        assert_eq!(shipped.set(SHIPPED), Ok(()));
        assert!(
            shipped.features.iter().all(|weight| weight.is_finite()),
            "each has a line"
        );
        assert_eq!(Weights::from_toml(""), Ok(shipped.clone()));
        let changed = Weights::from_toml("corner = -3\nalive = 1.5").expect("weights");
        assert_eq!((changed.alive, changed.features[5]), (1.5, -3.0));
        assert_eq!(changed.features[..5], shipped.features[..5]);
        for (text, part) in [
            (
                "emtpy = 1",
                "no weight 'emtpy'; there are alive, empty, monotonicity",
            ),
            ("empty = nan", "weight 'empty' is NaN"),
            ("empty = 1e9", "expected a number from -1e6 to 1e6"),
            ("empty = \"much\"", "in line 1"),
            ("empty", "in line 1"),
        ] {
            let error = Weights::from_toml(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
