//! How far an error moves the weights.

use crate::Schedule;
use network::{CoherenceSums, Indexed, NTuple, NetworkError, Trace};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The rules for step sizes. As text `constant`, `tc`, or `constant,tc@0.9` for a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum StepSizeRule {
    /// Every weight moves by alpha x error / features.
    Constant,
    /// Temporal coherence: alpha scaled for each weight by how consistent its errors were.
    #[default]
    Tc,
    /// Constant at first, and coherent from some share of the run's games on. With a large initial value this is optimistic
    /// learning (OTD + TC) of Guei, Chen and Wu (2021): the constant step size explores for long, since all that is unknown
    /// looks good; temporal coherence, whose sums begin then, refines what was found.
    Switch(f64),
}

impl StepSizeRule {
    /// The alpha that suits the rule.
    pub(crate) fn default_alpha(self) -> Schedule {
        const CONSTANT: f32 = 0.1;
        const COHERENT: f32 = 1.0;
        match self {
            StepSizeRule::Constant => Schedule::Constant(CONSTANT),
            StepSizeRule::Tc => Schedule::Constant(COHERENT),
            StepSizeRule::Switch(from) => Schedule::Steps(vec![(0.0, CONSTANT), (from, COHERENT)]),
        }
    }

    /// Numbers that the rule keeps for each weight.
    pub(crate) fn numbers_per_weight(self) -> u64 {
        match self {
            StepSizeRule::Constant => 0,
            StepSizeRule::Tc | StepSizeRule::Switch(_) => 2,
        }
    }

    /// Whether step sizes are coherent when `share` (0 to 1) of the run's games have been played.
    fn is_coherent(self, share: f64) -> bool {
        match self {
            StepSizeRule::Constant => false,
            StepSizeRule::Tc => true,
            StepSizeRule::Switch(from) => share >= from,
        }
    }
}

impl fmt::Display for StepSizeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepSizeRule::Constant => f.write_str("constant"),
            StepSizeRule::Tc => f.write_str("tc"),
            StepSizeRule::Switch(from) => write!(f, "constant,tc@{from}"),
        }
    }
}

impl FromStr for StepSizeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "constant" => return Ok(StepSizeRule::Constant),
            "tc" => return Ok(StepSizeRule::Tc),
            _ => (),
        }
        let from = text.strip_prefix("constant,tc@");
        let from = from.and_then(|share| share.trim().parse().ok());
        let from = from.filter(|share| *share > 0.0 && *share < 1.0);
        from.map(StepSizeRule::Switch).ok_or_else(|| {
            format!("'{text}' is no rule for step sizes: expected constant, tc, or constant,tc@SHARE to switch when a share of the run between 0 and 1 is over")
        })
    }
}

impl TryFrom<String> for StepSizeRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<StepSizeRule> for String {
    fn from(rule: StepSizeRule) -> String {
        rule.to_string()
    }
}

/// What holds for all errors of one game.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GameStep {
    pub(crate) alpha: f32,
    pub(crate) coherent: bool,
}

/// A step-size rule with its memory.
pub(crate) struct StepSize {
    rule: StepSizeRule,
    alpha: Schedule,
    sums: Option<CoherenceSums>,
}

impl StepSize {
    pub(crate) fn new<G: Indexed>(
        rule: StepSizeRule,
        alpha: Schedule,
        network: &NTuple<G>,
    ) -> Result<Self, NetworkError> {
        let sums = match rule.numbers_per_weight() {
            0 => None,
            _ => Some(network.coherence_sums()?),
        };
        Ok(StepSize { rule, alpha, sums })
    }

    /// From what a checkpoint holds; `None` if that is not the rule's.
    pub(crate) fn restore(
        rule: StepSizeRule,
        alpha: Schedule,
        sums: Option<CoherenceSums>,
    ) -> Option<Self> {
        let suits = sums.is_some() == (rule.numbers_per_weight() > 0);
        suits.then_some(StepSize { rule, alpha, sums })
    }

    /// What a checkpoint holds of it beside the weights.
    pub(crate) fn sums(&self) -> Option<&CoherenceSums> {
        self.sums.as_ref()
    }

    /// For a game that begins when `share` (0 to 1) of the run's games have been played.
    pub(crate) fn at(&self, share: f64) -> GameStep {
        GameStep {
            alpha: self.alpha.at(share),
            coherent: self.rule.is_coherent(share),
        }
    }

    /// The sums that the step of some game needs.
    #[inline]
    fn sums_for(&self, step: GameStep) -> Option<&CoherenceSums> {
        self.sums.as_ref().filter(|_| step.coherent)
    }

    #[inline]
    pub(crate) fn prefetch(&self, trace: Trace<'_>, step: GameStep) {
        if let Some(sums) = self.sums_for(step) {
            sums.prefetch(trace);
        }
    }

    #[inline]
    pub(crate) fn update<G: Indexed>(
        &self,
        network: &NTuple<G>,
        trace: Trace<'_>,
        step: GameStep,
        error: f32,
    ) {
        match self.sums_for(step) {
            None => network.update(trace, step.alpha * error),
            Some(sums) => network.update_coherently(trace, sums, step.alpha, error),
        }
    }
}
