use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A 95 % confidence interval, low end first.
pub type Interval = [f64; 2];

/// The normal distribution's 97.5 % quantile.
const Z: f64 = 1.959_963_984_540_054;

/// A number over many games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeanStatistics {
    /// The mean.
    pub mean: f64,
    /// Its confidence interval; none of fewer than two games.
    pub ci95: Option<Interval>,
    /// The standard deviation of a single game (n - 1 in the denominator).
    pub sd: f64,
    /// The median.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

/// How often something happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateStatistics {
    /// The share of games.
    pub rate: f64,
    /// Its confidence interval.
    pub ci95: Interval,
}

impl MeanStatistics {
    /// The statistics of some numbers; all 0 of none.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> MeanStatistics {
        let mut numbers: Vec<f64> = numbers.into_iter().collect();
        numbers.sort_unstable_by(f64::total_cmp);
        let count = numbers.len();
        let mean = numbers.iter().sum::<f64>() / count.max(1) as f64;
        let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
        let sd = (squares / count.saturating_sub(1).max(1) as f64).sqrt();
        let middle = |index: usize| numbers.get(index).copied().unwrap_or(0.0);
        MeanStatistics {
            mean,
            ci95: mean_interval(mean, sd, count),
            sd,
            median: (middle(count.saturating_sub(1) / 2) + middle(count / 2)) / 2.0,
            max: numbers.last().copied().unwrap_or(0.0),
        }
    }
}

/// The interval of a mean of `count` independent numbers with standard deviation `sd`, by Student's t. `None`
/// of fewer than two.
pub fn mean_interval(mean: f64, sd: f64, count: usize) -> Option<Interval> {
    let distribution = StudentsT::new(0.0, 1.0, count.checked_sub(1)? as f64).ok()?;
    let half = distribution.inverse_cdf(0.975) * sd / (count as f64).sqrt();
    Some([mean - half, mean + half])
}

/// The interval of a share of `successes` among `count`, by Wilson's score (Wilson 1927): it holds near 0 and 1
/// too.
pub fn wilson_interval(successes: u64, count: u64) -> Interval {
    if count == 0 {
        return [0.0, 1.0];
    }
    let n = count as f64;
    let rate = successes as f64 / n;
    let centre = (rate + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt();
    [(centre - half).max(0.0), (centre + half).min(1.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_the_textbook_interval() {
        // t(0.975, 4 degrees of freedom) = 2.776445.
        let statistics = MeanStatistics::of([1.0, 2.0, 3.0, 4.0, 10.0]);
        assert_eq!(
            (statistics.mean, statistics.median, statistics.max),
            (4.0, 3.0, 10.0)
        );
        assert!((statistics.sd - 3.535_534).abs() < 1e-6);
        let [low, high] = statistics.ci95.expect("five numbers");
        let half = 2.776_445 * 3.535_534 / 5_f64.sqrt();
        assert!(
            (low - (4.0 - half)).abs() < 1e-4 && (high - (4.0 + half)).abs() < 1e-4,
            "{low} {high}"
        );
        assert_eq!(MeanStatistics::of([1.0, 2.0]).median, 1.5);
        let single = MeanStatistics::of([7.0]);
        assert_eq!(
            (single.mean, single.sd, single.median, single.ci95),
            (7.0, 0.0, 7.0, None)
        );
        assert_eq!(MeanStatistics::of([]).ci95, None);
    }

    #[test]
    fn rates_have_the_textbook_interval() {
        // R: binom.confint(c(8, 0, 30), c(10, 20, 30), methods = "wilson").
        for (successes, count, low, high) in [
            (8, 10, 0.490_162, 0.943_318),
            (0, 20, 0.0, 0.161_125),
            (30, 30, 0.886_487, 1.0),
        ] {
            let [l, h] = wilson_interval(successes, count);
            assert!(
                (l - low).abs() < 1e-5 && (h - high).abs() < 1e-5,
                "{successes}/{count}: {l} {h}"
            );
        }
        assert_eq!(wilson_interval(0, 0), [0.0, 1.0]);
    }
}
