//! How far an error moves the weights.

use network::{CoherenceSums, Indexed, NTuple, NetworkError, Trace};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The rules for step sizes.
///
/// A new one is a variant here, its name, its usual alpha, its memory in [`StepSize`], and what that memory is in
/// a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepSizeRule {
    /// Every weight moves by alpha x error / features.
    Constant,
    /// Temporal coherence: alpha scaled for each weight by how consistent its errors were.
    #[default]
    Tc,
}

impl StepSizeRule {
    /// The alpha that suits the rule.
    pub fn default_alpha(self) -> f32 {
        match self {
            StepSizeRule::Constant => 0.1,
            StepSizeRule::Tc => 1.0,
        }
    }

    /// Numbers that the rule keeps for each weight.
    pub(crate) fn numbers_per_weight(self) -> u64 {
        match self {
            StepSizeRule::Constant => 0,
            StepSizeRule::Tc => 2,
        }
    }
}

impl fmt::Display for StepSizeRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StepSizeRule::Constant => "constant",
            StepSizeRule::Tc => "tc",
        })
    }
}

impl FromStr for StepSizeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rules = [StepSizeRule::Constant, StepSizeRule::Tc];
        let named = rules.into_iter().find(|rule| rule.to_string() == text);
        named.ok_or_else(|| "expected constant or tc".to_owned())
    }
}

/// A step-size rule with its memory.
pub(crate) enum StepSize {
    Constant,
    Tc(CoherenceSums),
}

impl StepSize {
    pub(crate) fn new<G: Indexed>(
        rule: StepSizeRule,
        network: &NTuple<G>,
    ) -> Result<Self, NetworkError> {
        Ok(match rule {
            StepSizeRule::Constant => StepSize::Constant,
            StepSizeRule::Tc => StepSize::Tc(network.coherence_sums()?),
        })
    }

    /// What a checkpoint holds of it beside the weights.
    pub(crate) fn sums(&self) -> Option<&CoherenceSums> {
        match self {
            StepSize::Constant => None,
            StepSize::Tc(sums) => Some(sums),
        }
    }

    /// From what a checkpoint holds; `None` if that is not the rule's.
    pub(crate) fn restore(rule: StepSizeRule, sums: Option<CoherenceSums>) -> Option<Self> {
        match (rule, sums) {
            (StepSizeRule::Constant, None) => Some(StepSize::Constant),
            (StepSizeRule::Tc, Some(sums)) => Some(StepSize::Tc(sums)),
            _ => None,
        }
    }

    #[inline]
    pub(crate) fn prefetch(&self, trace: Trace<'_>) {
        match self {
            StepSize::Constant => (),
            StepSize::Tc(sums) => sums.prefetch(trace),
        }
    }

    #[inline]
    pub(crate) fn update<G: Indexed>(
        &self,
        network: &NTuple<G>,
        trace: Trace<'_>,
        alpha: f32,
        error: f32,
    ) {
        match self {
            StepSize::Constant => network.update(trace, alpha * error),
            StepSize::Tc(sums) => network.update_coherently(trace, sums, alpha, error),
        }
    }
}
