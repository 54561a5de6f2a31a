use crate::{Schedule, Starts, StepSizeRule, Target, TrainError, Updates};
use engine::{Rules, tile};
use network::{Stages, Structure};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Everything that decides what a run learns and writes. Read from TOML, where any field may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainConfig {
    /// Games in total, at least 1. Default 50,000: about a minute of the default network on two cores.
    pub games: u64,
    /// What all randomness comes from. Default 1.
    pub seed: u64,
    /// Threads that play and learn. Default: as many as the machine has processors. One thread is
    /// bit-reproducible, several are not.
    pub threads: Option<usize>,
    /// Games that each thread plays side by side, 1 to 64, so that one hides the other's waits for memory. Default 2,
    /// which was fastest.
    pub lanes: usize,
    /// Patterns of the network, see [`Structure::parse`]. Default: see [`Structure::default_for`].
    pub patterns: Option<String>,
    /// Stages of the game that have weights of their own. Default `none`.
    pub stages: Stages,
    /// What values are moved towards. Default `td`.
    pub target: Target,
    /// When games are learned from. Default `forward`.
    pub updates: Updates,
    /// How errors become weight changes. Default `tc`.
    pub step_size: StepSizeRule,
    /// The step size, shared by all features. Default 1.0 for `tc`, 0.1 for `constant`.
    pub alpha: Option<Schedule>,
    /// What every afterstate is worth before anything is learned; large is optimistic. Default 0.
    pub initial_value: f32,
    /// Where games begin. Default `new`.
    pub starts: Starts,
    /// Time between checkpoints. Default 5 minutes.
    #[serde(with = "humantime_serde")]
    pub checkpoint_every: Duration,
    /// Games between points of the curves. Default 500.
    pub log_every: u64,
    /// Games that the trained player is measured in at the end; 0 for none. Default 1,000.
    pub eval_games: u64,
    /// Games of training between measurements on the way, each in `eval_games` games; 0 for none. Default 0.
    pub eval_every: u64,
    /// The game. Default the usual 4x4. Last, because it is a table of its own in TOML.
    pub rules: Rules,
}

impl Default for TrainConfig {
    fn default() -> Self {
        TrainConfig {
            games: 50_000,
            seed: 1,
            threads: None,
            lanes: 2,
            patterns: None,
            stages: Stages::default(),
            target: Target::Td,
            updates: Updates::Forward,
            step_size: StepSizeRule::Tc,
            alpha: None,
            initial_value: 0.0,
            starts: Starts::default(),
            checkpoint_every: Duration::from_secs(300),
            log_every: 500,
            eval_games: 1_000,
            eval_every: 0,
            rules: Rules::default(),
        }
    }
}

/// More threads than any machine has; more is a slip of the finger.
const MAX_THREADS: usize = 1024;

/// More games side by side only push each other out of the caches.
const MAX_LANES: usize = 64;

/// Configurations under names, every value spelled out but the number of threads: that is as many as the machine has.
const PRESETS: [(&str, &str); 3] = [
    ("quick", include_str!("../presets/quick.toml")),
    ("standard", include_str!("../presets/standard.toml")),
    ("best", include_str!("../presets/best.toml")),
];

impl TrainConfig {
    /// The configuration of some name.
    ///
    /// # Errors
    /// When there is none.
    pub fn preset(name: &str) -> Result<TrainConfig, TrainError> {
        let preset = PRESETS.iter().find(|(known, _)| *known == name);
        let (_, text) = preset.ok_or_else(|| {
            let names = PRESETS.map(|(name, _)| name).join(", ");
            TrainError::Config(format!("there is no preset '{name}'; there are {names}"))
        })?;
        TrainConfig::from_toml(text)
    }

    /// A configuration from TOML text.
    ///
    /// # Errors
    /// When the text is no TOML or has unknown fields. The values are checked by
    /// [`TrainConfig::resolve`].
    pub fn from_toml(text: &str) -> Result<TrainConfig, TrainError> {
        engine::from_toml(text).map_err(TrainError::Config)
    }

    /// As TOML text.
    ///
    /// # Errors
    /// Never, of values that TOML can hold; an empty configuration is not an answer.
    pub fn to_toml(&self) -> Result<String, TrainError> {
        toml::to_string(self).map_err(|error| TrainError::Config(error.to_string()))
    }

    /// Whether the other configuration is of the same run: all is equal that may not change on resuming.
    pub(crate) fn is_of_same_run(&self, other: &TrainConfig) -> bool {
        let with_our_totals = TrainConfig {
            games: self.games,
            threads: self.threads,
            checkpoint_every: self.checkpoint_every,
            log_every: self.log_every,
            eval_games: self.eval_games,
            eval_every: self.eval_every,
            ..other.clone()
        };
        *self == with_our_totals
    }

    /// Checks all values and spells out those whose defaults depend on others or on the machine.
    ///
    /// # Errors
    /// Names the first value that cannot be used.
    pub fn resolve(mut self) -> Result<TrainConfig, TrainError> {
        let wrong = |message: &str| Err(TrainError::Config(message.to_owned()));
        self.rules
            .validate()
            .map_err(|error| TrainError::Config(error.to_string()))?;
        let structure = self.structure()?;
        self.patterns = Some(structure.to_string());
        if self.games == 0 {
            return wrong("games is 0, training takes at least 1");
        }
        if self.log_every == 0 {
            return wrong("log_every is 0, there is at least 1 game between two points of a curve");
        }
        if self.eval_every > 0 && self.eval_games == 0 {
            return wrong(
                "eval_every asks for measurements, but eval_games is 0: give their number of games",
            );
        }
        // Values that no text can give may still be set in code.
        let parsed: Result<Target, _> = self.target.to_string().parse();
        parsed.map_err(TrainError::Config)?;
        let parsed: Result<StepSizeRule, _> = self.step_size.to_string().parse();
        parsed.map_err(TrainError::Config)?;
        let parsed: Result<Starts, _> = self.starts.to_string().parse();
        parsed.map_err(TrainError::Config)?;
        if !self.initial_value.is_finite() || self.initial_value < 0.0 {
            return wrong(&format!(
                "initial_value is {}, expected a score such as 0 or 40000",
                self.initial_value
            ));
        }
        let largest = self.rules.largest_rank();
        if self.starts.carousel.largest_rank() > u32::from(largest) {
            return wrong(&format!(
                "starts is {}, which asks for a tile beyond the largest of this game, {}: leave that out",
                self.starts,
                tile(largest)
            ));
        }
        if self.checkpoint_every.is_zero() {
            return wrong("checkpoint_every is 0, give the time between checkpoints such as 5m");
        }
        let machine = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(machine);
        if !(1..=MAX_THREADS).contains(&threads) {
            return wrong(&format!(
                "threads is {threads}, expected 1 to {MAX_THREADS}"
            ));
        }
        if !(1..=MAX_LANES).contains(&self.lanes) {
            return wrong(&format!(
                "lanes is {}, expected 1 to {MAX_LANES}",
                self.lanes
            ));
        }
        self.threads = Some(threads);
        self.alpha = Some(self.alpha_schedule());
        Ok(self)
    }

    /// The patterns of the network.
    ///
    /// # Errors
    /// When they do not fit the board.
    pub fn structure(&self) -> Result<Structure, TrainError> {
        let geometry = self.rules.geometry();
        match &self.patterns {
            Some(text) => {
                Ok(Structure::parse(text, geometry).map_err(network::NetworkError::from)?)
            }
            None => Ok(Structure::default_for(geometry)),
        }
    }

    /// The step size.
    pub(crate) fn alpha_schedule(&self) -> Schedule {
        let alpha = self.alpha.clone();
        alpha.unwrap_or_else(|| self.step_size.default_alpha())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolved_configurations_are_spelled_out_and_round_trip() {
        let config =
            TrainConfig::from_toml("step_size = 'constant'\n[rules]\nrows = 3\ncolumns = 3");
        let config = config
            .and_then(TrainConfig::resolve)
            .expect("a configuration");
        assert_eq!(config.alpha, Some(Schedule::Constant(0.1)));
        assert_eq!(config.patterns.as_deref(), Some("012345"));
        assert!(config.threads.is_some_and(|threads| threads > 0));
        let text = config.to_toml().expect("plain values");
        assert!(text.contains("checkpoint_every = \"5m\""), "{text}");
        assert_eq!(TrainConfig::from_toml(&text).expect("our own text"), config);
    }

    #[test]
    fn presets_spell_out_every_value() {
        for (name, text) in PRESETS {
            let preset = TrainConfig::preset(name)
                .and_then(TrainConfig::resolve)
                .expect(name);
            let all = preset.to_toml().expect("plain values");
            let keys = all.split("[rules]").next().unwrap_or("").lines();
            for key in keys
                .filter_map(|line| line.split(" = ").next())
                .filter(|key| !key.is_empty())
            {
                let given = text
                    .lines()
                    .any(|line| line.split(" = ").next() == Some(key));
                assert!(given || key == "threads", "{name} does not give {key}");
            }
        }
        let error = TrainConfig::preset("fast")
            .expect_err("no preset")
            .to_string();
        assert!(error.contains("quick, standard, best"), "{error}");
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (text, part) in [
            ("games = 0", "games is 0"),
            ("games = -1", "games"),
            ("gamez = 5", "gamez"),
            ("threads = 0", "threads is 0"),
            ("log_every = 0", "log_every is 0"),
            ("initial_value = -1.0", "initial_value is -1"),
            ("initial_value = inf", "initial_value is inf"),
            ("starts = 'middle'", "starts"),
            ("starts = 'carousel:1'", "'1' is no tile"),
            (
                "starts = 'carousel:16384,262144'",
                "largest of this game, 131072",
            ),
            ("stages = '16383'", "'16383' is no tile"),
            ("target = 'lambda:1'", "lambda:1"),
            ("updates = 'sideways'", "updates"),
            ("step_size = 'constant,tc@1.5'", "constant,tc@1.5"),
            ("lanes = 0", "lanes is 0"),
            ("lanes = 65", "lanes is 65"),
            ("eval_every = 5\neval_games = 0", "eval_games is 0"),
            ("checkpoint_every = '0s'", "checkpoint_every is 0"),
            ("checkpoint_every = 'soon'", "checkpoint_every"),
            ("alpha = 0.0", "is no step size"),
            ("patterns = '0123x'", "'x'"),
            ("[rules]\nrows = 7", "from 2x2 to 5x5"),
        ] {
            let result = TrainConfig::from_toml(text).and_then(TrainConfig::resolve);
            let error = result.expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
