//! What the value of an afterstate is moved towards, and when.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What the value of an afterstate is moved towards. As text `td`, `nstep:3` or `lambda:0.5`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Target {
    /// TD(0): the next move's reward + the value of its afterstate.
    #[default]
    Td,
    /// The rewards of so many moves + the value of the last one's afterstate.
    Steps(u32),
    /// TD(lambda): the mean of those of 1, 2, 3, ... moves, each weighted lambda times the one before; up to so many moves that
    /// lambda to their power is below 0.1, the last one with the weight of all beyond it too (as Jaskowski 2016).
    Lambda(f64),
}

/// The moves that a target spans at most.
const MAX_STEPS: u32 = 64;

/// What the moves beyond those of a lambda-return weigh less than.
const LEAST_WEIGHT: f64 = 0.1;

impl Target {
    pub(crate) fn returns(self) -> Returns {
        match self {
            Target::Td => Returns::TD,
            Target::Steps(steps) => Returns {
                steps: steps as usize,
                lambda: 1.0,
            },
            Target::Lambda(lambda) => Returns {
                steps: steps_of(lambda),
                lambda: lambda as f32,
            },
        }
    }
}

/// The moves of a lambda-return.
fn steps_of(lambda: f64) -> usize {
    1 + (LEAST_WEIGHT.ln() / lambda.ln()).floor() as usize
}

/// How the rewards and values of the moves after an afterstate make its target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Returns {
    /// The moves taken into account.
    pub(crate) steps: usize,
    lambda: f32,
}

impl Returns {
    /// Of one move.
    pub(crate) const TD: Returns = Returns {
        steps: 1,
        lambda: 1.0,
    };

    /// The target of a move, given that of the move after it.
    #[inline]
    pub(crate) fn before(self, target: f32, reward: f32, value: impl FnOnce() -> f32) -> f32 {
        if self.lambda == 1.0 {
            reward + target
        } else {
            reward + (1.0 - self.lambda) * value() + self.lambda * target
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Td => f.write_str("td"),
            Target::Steps(steps) => write!(f, "nstep:{steps}"),
            Target::Lambda(lambda) => write!(f, "lambda:{lambda}"),
        }
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let target = match text.split_once(':') {
            None if text == "td" => Some(Target::Td),
            Some(("nstep", steps)) => {
                let steps = steps.parse().ok();
                let steps = steps.filter(|steps| (1..=MAX_STEPS).contains(steps));
                steps.map(Target::Steps)
            }
            Some(("lambda", lambda)) => {
                let lambda = lambda.parse().ok();
                let lambda = lambda.filter(|lambda| {
                    *lambda > 0.0 && *lambda < 1.0 && steps_of(*lambda) <= MAX_STEPS as usize
                });
                lambda.map(Target::Lambda)
            }
            _ => None,
        };
        target.ok_or_else(|| {
            format!("'{text}' is no target: expected td, nstep:N with N from 1 to {MAX_STEPS}, or lambda:L with L between 0 and 0.96")
        })
    }
}

impl TryFrom<String> for Target {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Target> for String {
    fn from(target: Target) -> String {
        target.to_string()
    }
}

/// When a game's moves are learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Updates {
    /// As soon as a target is known, while the game goes on.
    #[default]
    Forward,
    /// After the game, from its last move to its first, so that what the end was worth is known at once to all that led
    /// there (Matsuzaki 2017). Costs a second look at every position.
    Backward,
}

impl FromStr for Updates {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "forward" => Ok(Updates::Forward),
            "backward" => Ok(Updates::Backward),
            _ => Err("expected forward or backward".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_round_trip_and_span_what_they_say() {
        for (text, steps) in [
            ("td", 1),
            ("nstep:1", 1),
            ("nstep:5", 5),
            ("lambda:0.05", 1),
            ("lambda:0.5", 4),
            ("lambda:0.95", 45),
        ] {
            let target: Target = text.parse().expect(text);
            assert_eq!(target.to_string(), text);
            assert_eq!(target.returns().steps, steps, "{text}");
        }
        for text in [
            "",
            "td0",
            "nstep",
            "nstep:0",
            "nstep:65",
            "lambda:0",
            "lambda:1",
            "lambda:0.99",
            "lambda:NaN",
        ] {
            let error = text.parse::<Target>().expect_err(text);
            assert!(error.contains("expected td, nstep:N"), "{error}");
        }
    }
}
