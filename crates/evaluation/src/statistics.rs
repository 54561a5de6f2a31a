use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A 95 % confidence interval, low end first.
pub type Interval = [f64; 2];

/// The normal distribution's 97.5 % quantile.
const Z: f64 = 1.959_963_984_540_054;

/// A number over many games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeanStatistics {
    /// The mean.
    pub mean: f64,
    /// Its confidence interval; none of fewer than two games.
    pub ci95: Option<Interval>,
    /// The standard deviation of a single game (n - 1 in the denominator).
    pub sd: f64,
    /// The median.
    pub median: f64,
    /// Other quantiles.
    pub quantiles: Quantiles,
    /// The largest.
    pub max: f64,
}

/// Quantiles, interpolated between the nearest numbers (type 7 of Hyndman and Fan 1996, as R does).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// A twentieth of the numbers are smaller.
    #[serde(rename = "0.05")]
    pub q05: f64,
    /// A quarter.
    #[serde(rename = "0.25")]
    pub q25: f64,
    /// Three quarters.
    #[serde(rename = "0.75")]
    pub q75: f64,
    /// Nineteen twentieths.
    #[serde(rename = "0.95")]
    pub q95: f64,
}

/// How often something happened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
        let quantile = |share| quantile(&numbers, share);
        MeanStatistics {
            mean,
            ci95: mean_interval(mean, sd, count),
            sd,
            median: quantile(0.5),
            quantiles: Quantiles {
                q05: quantile(0.05),
                q25: quantile(0.25),
                q75: quantile(0.75),
                q95: quantile(0.95),
            },
            max: numbers.last().copied().unwrap_or(0.0),
        }
    }
}

/// A quantile of sorted numbers; 0 of none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (position.floor() as usize, position.ceil() as usize);
    match (sorted.get(below), sorted.get(above)) {
        (Some(below), Some(above)) => below + (above - below) * position.fract(),
        _ => 0.0,
    }
}

/// The interval of the difference of the means of independent numbers a and b (a - b), whose variances may differ (Welch
/// 1947). `None` of fewer than two of either, or if all are equal.
pub fn welch_interval(a: &[f64], b: &[f64]) -> Option<Interval> {
    // The mean, and its variance.
    let of = |numbers: &[f64]| {
        let n = numbers.len() as f64;
        let mean = numbers.iter().sum::<f64>() / n;
        let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
        (numbers.len() > 1).then(|| (mean, squares / (n - 1.0) / n, n - 1.0))
    };
    let ((mean_a, variance_a, freedom_a), (mean_b, variance_b, freedom_b)) = (of(a)?, of(b)?);
    let variance = variance_a + variance_b;
    let freedom =
        variance.powi(2) / (variance_a.powi(2) / freedom_a + variance_b.powi(2) / freedom_b);
    let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let half = distribution.inverse_cdf(0.975) * variance.sqrt();
    let difference = mean_a - mean_b;
    Some([difference - half, difference + half])
}

/// The probability that a number of a is greater than one of b, a tie counting half (Mann and Whitney 1947). `None` of
/// no numbers.
pub fn probability_greater(a: &[f64], b: &[f64]) -> Option<f64> {
    let mut b = b.to_vec();
    b.sort_unstable_by(f64::total_cmp);
    let wins = a.iter().map(|x| {
        let (smaller, not_greater) = (b.partition_point(|y| y < x), b.partition_point(|y| y <= x));
        (smaller + not_greater) as f64 / 2.0
    });
    let pairs = (a.len() * b.len()) as f64;
    (pairs > 0.0).then(|| wins.sum::<f64>() / pairs)
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
    fn quantiles_are_those_of_r() {
        // R: quantile(c(15, 20, 35, 40, 50, 51), c(.05, .25, .5, .75, .95)).
        let statistics = MeanStatistics::of([50.0, 15.0, 40.0, 20.0, 51.0, 35.0]);
        let Quantiles { q05, q25, q75, q95 } = statistics.quantiles;
        let found = [q05, q25, statistics.median, q75, q95];
        for (found, expected) in found.into_iter().zip([16.25, 23.75, 37.5, 47.5, 50.75]) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn differences_have_welchs_interval() {
        // R: t.test(extra ~ group, data = sleep): difference -1.58, interval -3.3654832 to 0.2054832.
        let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
        let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
        let [low, high] = welch_interval(&first, &second).expect("numbers");
        assert!(
            (low + 3.365_483_2).abs() < 1e-5 && (high - 0.205_483_2).abs() < 1e-5,
            "{low} {high}"
        );
        assert_eq!(welch_interval(&[1.0], &second), None);
        assert_eq!(welch_interval(&[1.0, 1.0], &[1.0, 1.0]), None);
        // R: wilcox.test(extra ~ group, data = sleep) has W = 25.5 of 100 pairs.
        assert_eq!(probability_greater(&first, &second), Some(0.255));
        let by_hand = first.iter().flat_map(|a| {
            second.iter().map(move |b| match a.total_cmp(b) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
        });
        let by_hand = by_hand.sum::<f64>() / 100.0;
        assert_eq!(probability_greater(&first, &second), Some(by_hand));
        assert_eq!(probability_greater(&[2.0, 2.0], &[1.0, 2.0]), Some(0.75));
        assert_eq!(probability_greater(&[], &second), None);
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
