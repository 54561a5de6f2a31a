use crate::{Geometry, rank, tile};
use serde::{Deserialize, Serialize};

/// What a game is played by. Named `ROWSxCOLUMNS` for the usual rules on a board of that size, or read from a
/// TOML file with any of the fields below (those left out keep the usual value).
///
/// ```
/// let rules = engine::Rules::from_toml("rows = 3\ncolumns = 3\nspawn = [{ tile = 2, probability = 1.0 }]")?;
/// assert_eq!(rules.largest_rank(), 9);
/// # Ok::<(), engine::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Number of rows, 2 to 5. Default 4.
    pub rows: usize,
    /// Number of columns, 2 to 5. Default 4.
    pub columns: usize,
    /// Number of tiles spawned before the first move, at least 1. Default 2.
    pub start_tiles: u32,
    /// Which tiles spawn, and how often. Default 2 with probability 0.9, 4 with 0.1.
    pub spawn: Vec<SpawnOdds>,
    /// The tile whose making counts as success. Default 2048, or the second largest tile possible on a board
    /// too small for that.
    pub target: Option<u64>,
    /// Whether the game ends when the target is made. Default false: play goes on, the target is counted.
    pub stop_at_target: bool,
    /// Which tiles merge. Default `pairs`.
    pub merge: MergeRule,
}

/// One kind of spawned tile and its probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpawnOdds {
    /// The tile's value: 2, 4, 8, ...
    pub tile: u64,
    /// How often it spawns, in (0, 1]; all probabilities sum to 1.
    pub probability: f64,
}

impl SpawnOdds {
    /// The rank of the spawned tile, a power of two in validated rules.
    pub fn rank(self) -> u8 {
        self.tile.trailing_zeros() as u8
    }
}

/// Which tiles merge in a slide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MergeRule {
    /// Two equal neighbours merge into one tile of twice the value; a merged tile does not merge again in the
    /// same move; pairs nearest the edge that tiles slide to merge first.
    Pairs,
}

/// Why rules cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RulesError {
    /// Neither a size such as `4x4` nor anything else known.
    #[error(
        "unknown rules '{0}': expected ROWSxCOLUMNS from 2x2 to 5x5 (such as 4x4), or the path of a TOML file"
    )]
    UnknownName(String),
    /// The TOML text does not describe rules.
    #[error("the rules cannot be read: {0}")]
    Toml(String),
    /// A field has a value that cannot be played.
    #[error("the rules cannot be played: {0}")]
    Unplayable(String),
}

impl Default for Rules {
    fn default() -> Self {
        Rules::sized(4, 4)
    }
}

impl Rules {
    /// The usual rules on a board of the given size.
    pub fn sized(rows: usize, columns: usize) -> Rules {
        let odds = |tile, probability| SpawnOdds { tile, probability };
        Rules {
            rows,
            columns,
            start_tiles: 2,
            spawn: vec![odds(2, 0.9), odds(4, 0.1)],
            target: None,
            stop_at_target: false,
            merge: MergeRule::Pairs,
        }
    }

    /// The rules named `ROWSxCOLUMNS`.
    ///
    /// # Errors
    /// When the name is not of that form or the size is not from 2x2 to 5x5.
    pub fn named(name: &str) -> Result<Rules, RulesError> {
        let unknown = || RulesError::UnknownName(name.to_owned());
        let (rows, columns) = name.split_once('x').ok_or_else(unknown)?;
        let size = |text: &str| text.parse::<usize>().map_err(|_| unknown());
        let rules = Rules::sized(size(rows)?, size(columns)?);
        rules.validate().map_err(|_| unknown())?;
        Ok(rules)
    }

    /// Rules from TOML text.
    ///
    /// # Errors
    /// When the text is not TOML, has unknown fields, or describes rules that cannot be played.
    pub fn from_toml(text: &str) -> Result<Rules, RulesError> {
        let rules: Rules = from_toml(text).map_err(RulesError::Toml)?;
        rules.validate()?;
        Ok(rules)
    }

    /// Whether [`crate::Classic`] plays by these rules. A target that does not end the game changes no move, only
    /// what is counted.
    pub fn is_classic(&self) -> bool {
        let untargeted = Rules {
            target: None,
            ..self.clone()
        };
        untargeted == Rules::default()
    }

    /// The board's shape.
    pub fn geometry(&self) -> Geometry {
        Geometry {
            rows: self.rows,
            columns: self.columns,
        }
    }

    /// The largest rank that play can make: filling n cells with the largest spawned tile s as the last one
    /// needed gives s + n - 1.
    pub fn largest_rank(&self) -> u8 {
        let largest = self.spawn.iter().map(|odds| odds.rank()).max();
        largest.unwrap_or(0) + self.geometry().cells() as u8 - 1
    }

    /// The largest sum of tiles that a board can hold: a full chain of the largest tiles, each twice the next. From
    /// any position up to that, play stays within the largest rank, since a larger sum would need another cell.
    pub fn largest_sum(&self) -> u64 {
        let largest = self.largest_rank() + 1;
        tile(largest) - tile(largest - self.geometry().cells() as u8)
    }

    /// The rank of the target tile.
    pub fn target_rank(&self) -> u8 {
        match self.target {
            Some(target) => rank(target).unwrap_or(0),
            None => 11.min(self.largest_rank() - 1),
        }
    }

    /// Checks that the rules can be played.
    ///
    /// # Errors
    /// Names the first field whose value cannot be played, and what it may be.
    pub fn validate(&self) -> Result<(), RulesError> {
        let fail = |message: String| Err(RulesError::Unplayable(message));
        if !(2..=5).contains(&self.rows) || !(2..=5).contains(&self.columns) {
            return fail(format!(
                "the board is {}x{}, sizes are from 2x2 to 5x5",
                self.rows, self.columns
            ));
        }
        if self.start_tiles == 0 || self.start_tiles as usize > self.geometry().cells() {
            return fail(format!(
                "start_tiles is {}, a board of {} cells starts with 1 to {}",
                self.start_tiles,
                self.geometry().cells(),
                self.geometry().cells()
            ));
        }
        if self.spawn.is_empty() {
            return fail("spawn is empty, at least one tile must spawn".to_owned());
        }
        for odds in &self.spawn {
            if !matches!(rank(odds.tile), Some(1..=6)) {
                return fail(format!(
                    "tile {} cannot spawn, tiles that can are 2, 4, 8, 16, 32 and 64",
                    odds.tile
                ));
            }
            if !(odds.probability > 0.0 && odds.probability <= 1.0) {
                return fail(format!(
                    "tile {} spawns with probability {}, probabilities are above 0 and at most 1",
                    odds.tile, odds.probability
                ));
            }
        }
        let sum: f64 = self.spawn.iter().map(|odds| odds.probability).sum();
        if (sum - 1.0).abs() > 1e-9 {
            return fail(format!("spawn probabilities sum to {sum}, not to 1"));
        }
        if let Some(target) = self.target
            && !matches!(rank(target), Some(r) if (1..=self.largest_rank()).contains(&r))
        {
            return fail(format!(
                "target is {target}, it must be a tile from 2 to {}, the largest on this board",
                tile(self.largest_rank())
            ));
        }
        Ok(())
    }
}

impl std::fmt::Display for Rules {
    /// The size, and what differs from the usual rules.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let usual = Rules::sized(self.rows, self.columns);
        write!(f, "{}", self.geometry())?;
        if self.start_tiles != usual.start_tiles {
            write!(f, ", {} start tiles", self.start_tiles)?;
        }
        if self.spawn != usual.spawn {
            write!(f, ", spawns")?;
            for odds in &self.spawn {
                write!(f, " {}:{}", odds.tile, odds.probability)?;
            }
        }
        if let Some(target) = self.target {
            write!(f, ", target {target}")?;
        }
        if self.stop_at_target {
            write!(f, ", stops at the target")?;
        }
        Ok(())
    }
}

/// Reads a value from TOML text.
///
/// # Errors
/// One sentence: what is wrong, and in which line.
pub fn from_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let before = error
            .span()
            .and_then(|span| text.get(..span.start))
            .unwrap_or("");
        let number = before.matches('\n').count();
        let line = text.lines().nth(number).unwrap_or("").trim();
        let message = error.message().replace('\n', " ");
        format!("{message}, in line {}: {line}", number + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_give_the_usual_rules() {
        assert!(Rules::named("4x4").is_ok_and(|rules| rules.is_classic()));
        for (text, classic) in [
            ("target = 4096", true),
            ("target = 4096\nstop_at_target = true", false),
            ("start_tiles = 3", false),
        ] {
            assert!(
                Rules::from_toml(text).is_ok_and(|rules| rules.is_classic() == classic),
                "{text}"
            );
        }
        let small = Rules::sized(2, 3);
        assert_eq!(Rules::named("2x3"), Ok(small.clone()));
        assert_eq!((small.largest_rank(), small.target_rank()), (7, 6));
        assert_eq!(Rules::default().largest_rank(), 17);
        for bad in [
            "",
            "4",
            "x",
            "4x",
            "1x4",
            "6x6",
            "4x4x4",
            "99999999999999999999x4",
        ] {
            let error = Rules::named(bad).expect_err(bad);
            assert!(error.to_string().contains("from 2x2 to 5x5"), "{error}");
        }
    }

    #[test]
    fn toml_round_trips_and_refuses_what_cannot_be_played() {
        let rules = Rules {
            target: Some(512),
            stop_at_target: true,
            ..Rules::sized(3, 3)
        };
        let text = toml::to_string(&rules).expect("rules are plain data");
        assert_eq!(Rules::from_toml(&text), Ok(rules));
        for (text, part) in [
            ("rows = 9", "from 2x2 to 5x5"),
            ("colums = 4", "colums"),
            ("start_tiles = 0", "start_tiles"),
            ("spawn = []", "spawn is empty"),
            ("spawn = [{ tile = 3, probability = 1.0 }]", "tile 3"),
            ("spawn = [{ tile = 2, probability = 0.5 }]", "sum to 0.5"),
            (
                "spawn = [{ tile = 2, probability = nan }]",
                "probability NaN",
            ),
            ("target = 100", "target is 100"),
            ("target = 262144", "131072, the largest"),
            ("merge = \"triples\"", "triples"),
        ] {
            let error = Rules::from_toml(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
