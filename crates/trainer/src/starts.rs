use network::Stages;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where games of a training begin: always from two random tiles; and when a game is over, it may be learned from again in
/// parts, which count as no games.
///
/// As text `new` for no such parts, or `restart:0.5`, or `carousel:16384,16384+8192,32768`, or both with a slash between.
/// `restart` alone is with probability 1, as by Matsuzaki (2017).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Starts {
    /// The probability that what was played last is played again from its middle, then from the middle of that part, and so
    /// on while it is worth it.
    pub restarts: f64,
    /// Then from where some game came to the second of these stages, then to the third, and so on, if there are stages. They
    /// need not be those of the network.
    pub carousel: Stages,
}

impl Starts {
    /// Whether parts begin where games came to some stage.
    pub(crate) fn turns(&self) -> bool {
        self.carousel.count() > 1
    }
}

impl fmt::Display for Starts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Starts::default() {
            return f.write_str("new");
        }
        match self.restarts {
            0.0 => {}
            1.0 => f.write_str("restart")?,
            probability => write!(f, "restart:{probability}")?,
        }
        if self.turns() {
            let slash = if self.restarts > 0.0 { "/" } else { "" };
            write!(f, "{slash}carousel:{}", self.carousel)?;
        }
        Ok(())
    }
}

impl FromStr for Starts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "new" {
            return Ok(Starts::default());
        }
        let wrong = || {
            format!(
                "'{text}' is no way to begin games: expected new, or restart or restart:P with a probability up to 1, or carousel:TILES with stages such as 16384,16384+8192,32768, or restart:P/carousel:TILES"
            )
        };
        let (restart, carousel) = match text.split_once('/') {
            Some((restart, carousel)) => (Some(restart), Some(carousel)),
            None if text.starts_with("carousel") => (None, Some(text)),
            None => (Some(text), None),
        };
        let mut starts = Starts::default();
        if let Some(restart) = restart {
            let probability = match restart {
                "restart" => Some(1.0),
                _ => { restart.strip_prefix("restart:") }.and_then(|text| text.parse().ok()),
            };
            let probability = probability.filter(|p: &f64| *p > 0.0 && *p <= 1.0);
            starts.restarts = probability.ok_or_else(wrong)?;
        }
        if let Some(carousel) = carousel {
            let tiles = carousel.strip_prefix("carousel:").ok_or_else(wrong)?;
            starts.carousel = tiles.parse()?;
            if !starts.turns() {
                return Err(wrong());
            }
        }
        Ok(starts)
    }
}

impl TryFrom<String> for Starts {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Starts> for String {
    fn from(starts: Starts) -> String {
        starts.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_round_trip() {
        for text in [
            "new",
            "restart",
            "restart:0.5",
            "carousel:16384,16384+8192",
            "restart/carousel:32768",
            "restart:0.5/carousel:16384,32768",
        ] {
            let starts: Starts = text.parse().expect(text);
            assert_eq!(starts.to_string(), text);
        }
        for (text, part) in [
            ("", "expected new"),
            ("middle", "expected new"),
            ("restart:", "expected new"),
            ("restart:0", "expected new"),
            ("restart:1.5", "expected new"),
            ("restart:NaN", "expected new"),
            ("carousel", "expected new"),
            ("carousel:none", "expected new"),
            ("new/carousel:16384", "expected new"),
            ("restart/restart", "expected new"),
            ("carousel:16383", "'16383' is no tile"),
        ] {
            let error = text.parse::<Starts>().expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
