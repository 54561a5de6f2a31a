//! From rules to the game that plays them fastest.

use crate::failure::Failure;
use engine::{Classic, Rules, Variant};
use std::path::Path;

/// A game that is chosen at run time.
pub(crate) enum AnyGame {
    Classic(Classic),
    Variant(Variant),
}

impl AnyGame {
    pub(crate) fn new(rules: &Rules) -> Result<AnyGame, Failure> {
        if rules.is_classic() {
            return Ok(AnyGame::Classic(Classic));
        }
        let variant = Variant::new(rules.clone());
        variant
            .map(AnyGame::Variant)
            .map_err(|error| Failure::Usage(error.into()))
    }
}

/// Compiles an expression for every game, and evaluates it for the one given.
macro_rules! with_game {
    ($any:expr, $game:ident => $result:expr) => {
        match $any {
            $crate::games::AnyGame::Classic($game) => $result,
            $crate::games::AnyGame::Variant($game) => $result,
        }
    };
}
pub(crate) use with_game;

/// The rules that `--rules` names: `4x4`, `3x3`, ... or the path of a TOML file.
pub(crate) fn parse_rules(text: &str) -> Result<Rules, Failure> {
    let path = Path::new(text);
    if !path.exists() {
        return Rules::named(text).map_err(|error| Failure::Usage(error.into()));
    }
    let rules = Rules::from_toml(&read_settings(path).map_err(Failure::usage)?);
    rules.map_err(|error| Failure::usage(format!("{text}: {error}")))
}

/// Reads a file of settings, if it looks like one.
pub(crate) fn read_settings(path: &Path) -> Result<String, String> {
    /// No settings are that long.
    const LIMIT: u64 = 1 << 20;
    let failed = |reason: String| format!("cannot read {}: {reason}", path.display());
    let metadata = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if !metadata.is_file() || metadata.len() > LIMIT {
        return Err(failed(
            "it is not a text file of settings, of 1 MiB at most".to_owned(),
        ));
    }
    std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}
