use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Where games of a training begin. As text `new`, `restart:0.5`, or `carousel`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Starts {
    /// From two random tiles.
    #[default]
    New,
    /// From two random tiles; and when a game is over, with this probability again from its middle, then from the middle of
    /// that part, and so on while it is worth it. These parts are learned from, but count as no games. `restart` alone is with
    /// probability 1, as by Matsuzaki (2017).
    Restart(f64),
    /// From two random tiles; and when a game is over, from where some game came to the second stage, then to the third, and
    /// so on. These parts are learned from, but count as no games.
    Carousel,
}

impl Starts {
    /// The probability that a game is restarted from its middle.
    pub(crate) fn restarts(self) -> f64 {
        match self {
            Starts::Restart(probability) => probability,
            Starts::New | Starts::Carousel => 0.0,
        }
    }
}

impl fmt::Display for Starts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Starts::New => f.write_str("new"),
            Starts::Restart(1.0) => f.write_str("restart"),
            Starts::Restart(probability) => write!(f, "restart:{probability}"),
            Starts::Carousel => f.write_str("carousel"),
        }
    }
}

impl FromStr for Starts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let starts = match text {
            "new" => Some(Starts::New),
            "restart" => Some(Starts::Restart(1.0)),
            "carousel" => Some(Starts::Carousel),
            _ => {
                let probability = text.strip_prefix("restart:");
                let probability = probability.and_then(|text| text.parse().ok());
                let probability = probability.filter(|p: &f64| *p > 0.0 && *p <= 1.0);
                probability.map(Starts::Restart)
            }
        };
        starts.ok_or_else(|| {
            format!("'{text}' is no way to begin games: expected new, restart or carousel, or restart:P with a probability up to 1")
        })
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
        for text in ["new", "restart", "restart:0.5", "carousel"] {
            let starts: Starts = text.parse().expect(text);
            assert_eq!(starts.to_string(), text);
        }
        for text in [
            "",
            "middle",
            "restart:",
            "restart:0",
            "restart:1.5",
            "restart:NaN",
        ] {
            let error = text.parse::<Starts>().expect_err(text);
            assert!(
                error.contains("expected new, restart or carousel"),
                "{error}"
            );
        }
    }
}
