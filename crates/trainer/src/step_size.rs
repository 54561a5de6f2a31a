//! How far an error moves the weights.

use network::{CoherenceSums, Indexed, NTuple, NetworkError, Trace};
use serde::{Deserialize, Serialize};

/// The rules for step sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepSizeRule {
    /// Every weight moves by alpha x error / features.
    Constant,
    /// Temporal coherence: alpha scaled for each weight by how consistent its errors were.
    #[default]
    Tc,
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

    #[inline]
    pub(crate) fn prefetch(&self, trace: &Trace) {
        match self {
            StepSize::Constant => (),
            StepSize::Tc(sums) => sums.prefetch(trace),
        }
    }

    #[inline]
    pub(crate) fn update<G: Indexed>(
        &self,
        network: &NTuple<G>,
        trace: &Trace,
        alpha: f32,
        error: f32,
    ) {
        match self {
            StepSize::Constant => network.update(trace, alpha * error),
            StepSize::Tc(sums) => network.update_coherently(trace, sums, alpha, error),
        }
    }
}
