use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A step size that may change in the course of a run.
///
/// As text: `0.1`; `linear:from=0.1,to=0.01`; `exponential:from=0.1,to=0.01`; or `steps:0.1,0.01@0.5,0.001@0.9`
/// (a first value, then others, each with the share of the run's games from which it holds).
///
/// ```
/// let alpha: trainer::Schedule = "linear:from=0.2,to=0.1".parse()?;
/// assert_eq!((alpha.at(0.0), alpha.at(0.5), alpha.at(1.0)), (0.2, 0.15, 0.1));
/// # Ok::<(), trainer::ScheduleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Text", into = "Text")]
pub enum Schedule {
    /// The same all along.
    Constant(f32),
    /// From one value to another in equal differences.
    Linear {
        /// The value at the start.
        from: f32,
        /// The value at the end.
        to: f32,
    },
    /// From one value to another in equal ratios.
    Exponential {
        /// The value at the start.
        from: f32,
        /// The value at the end.
        to: f32,
    },
    /// Constant in parts: pairs of the share of games from which a value holds, and the value. The first
    /// share is 0, and they increase.
    Steps(Vec<(f64, f32)>),
}

/// Why a text is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no step size: expected a positive number, 'linear:from=A,to=B', 'exponential:from=A,to=B' or 'steps:A,B@0.5,C@0.9' with shares of the run increasing from 0 to 1"
)]
pub struct ScheduleError(String);

/// A schedule as configuration files have it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Number(f64),
    Words(String),
}

impl Schedule {
    /// The value when `share` (0 to 1) of the run's games have been played.
    pub fn at(&self, share: f64) -> f32 {
        let share = share.clamp(0.0, 1.0);
        match self {
            Schedule::Constant(value) => *value,
            Schedule::Linear { from, to } => from + (to - from) * share as f32,
            Schedule::Exponential { from, to } => from * (to / from).powf(share as f32),
            Schedule::Steps(steps) => {
                let begun = steps.iter().take_while(|(start, _)| *start <= share);
                begun.last().map_or(0.0, |(_, value)| *value)
            }
        }
    }
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Self, ScheduleError> {
        let error = || ScheduleError(text.to_owned());
        let value = |text: &str| {
            let parsed = text.trim().parse::<f32>().ok();
            parsed
                .filter(|v| v.is_finite() && *v > 0.0)
                .ok_or_else(error)
        };
        let (kind, rest) = text.split_once(':').unwrap_or(("", text));
        let ends = || {
            let (from, to) = rest.split_once(',').ok_or_else(error)?;
            let from = from.trim().strip_prefix("from=").ok_or_else(error)?;
            let to = to.trim().strip_prefix("to=").ok_or_else(error)?;
            Ok((value(from)?, value(to)?))
        };
        match kind {
            "" => Ok(Schedule::Constant(value(rest)?)),
            "linear" => ends().map(|(from, to)| Schedule::Linear { from, to }),
            "exponential" => ends().map(|(from, to)| Schedule::Exponential { from, to }),
            "steps" => {
                let mut steps: Vec<(f64, f32)> = Vec::new();
                for step in rest.split(',') {
                    let (alpha, start) = match step.split_once('@') {
                        Some((alpha, start)) => (alpha, start.trim().parse().map_err(|_| error())?),
                        None => (step, 0.0),
                    };
                    let increasing = match steps.last() {
                        None => start == 0.0,
                        Some((before, _)) => start > *before && start <= 1.0,
                    };
                    if !increasing {
                        return Err(error());
                    }
                    steps.push((start, value(alpha)?));
                }
                Ok(Schedule::Steps(steps))
            }
            _ => Err(error()),
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Constant(value) => write!(f, "{value}"),
            Schedule::Linear { from, to } => write!(f, "linear:from={from},to={to}"),
            Schedule::Exponential { from, to } => write!(f, "exponential:from={from},to={to}"),
            Schedule::Steps(steps) => {
                let text = |(start, value): &(f64, f32)| match start {
                    0.0 => value.to_string(),
                    _ => format!("{value}@{start}"),
                };
                let steps: Vec<String> = steps.iter().map(text).collect();
                write!(f, "steps:{}", steps.join(","))
            }
        }
    }
}

impl TryFrom<Text> for Schedule {
    type Error = ScheduleError;

    fn try_from(text: Text) -> Result<Self, ScheduleError> {
        match text {
            Text::Number(value) => value.to_string().parse(),
            Text::Words(words) => words.parse(),
        }
    }
}

impl From<Schedule> for Text {
    fn from(schedule: Schedule) -> Text {
        let text = schedule.to_string();
        text.parse().map_or(Text::Words(text), Text::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip_and_hold_their_values() {
        for (text, at) in [
            ("0.1", [0.1, 0.1, 0.1]),
            ("1", [1.0, 1.0, 1.0]),
            ("linear:from=0.5,to=0.1", [0.5, 0.3, 0.1]),
            ("exponential:from=1,to=0.01", [1.0, 0.1, 0.01]),
            ("steps:0.1,0.01@0.5,0.001@0.9", [0.1, 0.01, 0.001]),
        ] {
            let schedule: Schedule = text.parse().expect(text);
            assert_eq!(schedule.to_string(), text);
            for (share, value) in [0.0, 0.5, 1.0].into_iter().zip(at) {
                assert!(
                    (schedule.at(share) - value).abs() < 1e-6,
                    "{text} at {share}"
                );
            }
            assert_eq!(schedule.at(-1.0), schedule.at(0.0));
            assert_eq!(schedule.at(2.0), schedule.at(1.0));
        }
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in [
            "",
            "0",
            "-1",
            "nan",
            "inf",
            "fast",
            "linear:0.1,0.2",
            "linear:from=0.1",
            "steps:",
            "steps:0.1@0.5",
            "steps:0.1,0.2",
            "steps:0.1,0.2@0.5,0.3@0.4",
            "steps:0.1,0.2@1.5",
            "cosine:from=1,to=2",
        ] {
            let error = text.parse::<Schedule>().expect_err(text).to_string();
            assert!(error.contains("expected a positive number"), "{error}");
        }
    }
}
