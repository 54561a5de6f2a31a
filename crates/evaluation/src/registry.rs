use crate::agents::{Downgraded, ExpectimaxAgent, GreedyAgent, Order, PriorityAgent, RandomAgent};
use crate::evaluators::{Heuristic, RowTable, Weights, Zero};
use crate::search::{Expectimax, Goal, SearchSettings};
use crate::{AgentSpec, SpecError};
use engine::{Agent, Classic, Game, Objective, ValueFunction, rank};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Makes an agent, one for each thread that plays.
pub type AgentMaker<G> = Box<dyn Fn() -> Box<dyn Agent<G>> + Send + Sync>;

/// A value function of any kind.
pub type AnyValue<G> = Arc<dyn ValueFunction<G>>;

/// What agents need of files. This crate knows none: whoever sets up a [`Registry`] reads them.
pub trait Files<G: Game> {
    /// The learned values in a file or folder.
    ///
    /// # Errors
    /// When there are none that suit the game.
    fn value(&self, path: &str) -> Result<AnyValue<G>, SpecError>;

    /// The text of a file of settings.
    ///
    /// # Errors
    /// When it cannot be read.
    fn settings(&self, path: &str) -> Result<String, SpecError>;
}

/// All agents that there are, for one game.
pub struct Registry<'a, G: Game> {
    game: G,
    files: &'a dyn Files<G>,
    stop: Arc<AtomicBool>,
}

/// How one kind of agent is made from its spec.
struct Kind<G: Game> {
    name: &'static str,
    options: &'static [&'static str],
    make: fn(&Registry<'_, G>, &AgentSpec) -> Result<AgentMaker<G>, SpecError>,
}

/// How one kind of hand-made value function is made.
struct Evaluator<G: Game> {
    name: &'static str,
    make: MakeValue<G>,
}

/// Makes a value function from the text of a file of settings, if one is named, and the objective that is searched for.
type MakeValue<G> = fn(&G, Option<&str>, Objective) -> Result<AnyValue<G>, String>;

/// Every hand-made value function: a new one is a file in `evaluators` and an entry here.
fn evaluators<G: Game>() -> [Evaluator<G>; 3] {
    [
        Evaluator {
            name: "zero",
            make: |_, settings, goal| no_file(settings).map(|()| Arc::new(Zero(goal)) as _),
        },
        Evaluator {
            name: "heuristic",
            make: |game, settings, _| {
                let weights = Weights::from_toml(settings.unwrap_or(""));
                let weights = weights.map_err(|error| error.to_string())?;
                Ok(Arc::new(Heuristic::new(game, &weights)))
            },
        },
        Evaluator {
            name: "rowtable",
            make: |game, settings, _| {
                no_file(settings).map(|()| Arc::new(RowTable::new(game)) as _)
            },
        },
    ]
}

fn no_file(settings: Option<&str>) -> Result<(), String> {
    match settings {
        None => Ok(()),
        Some(_) => Err("only the heuristic takes a file".to_owned()),
    }
}

/// The file of learned values that a value's name means, if it is not that of a hand-made one.
pub fn value_file(name: &str) -> Option<&str> {
    let kind = name.split('@').next();
    let built_in = evaluators::<Classic>();
    let built_in = built_in
        .iter()
        .any(|evaluator| kind == Some(evaluator.name));
    (!built_in).then_some(name)
}

impl<'a, G: Game> Registry<'a, G> {
    /// Agents for `game`. Once `stop` is set, they spend no more time on decisions.
    pub fn new(game: G, files: &'a dyn Files<G>, stop: Arc<AtomicBool>) -> Self {
        Registry { game, files, stop }
    }

    /// Every kind of agent: a new one is a file in `agents` and an entry here.
    fn kinds() -> [Kind<G>; 4] {
        [
            Kind {
                name: "random",
                options: &[],
                make: |registry, _| {
                    let game = registry.game.clone();
                    Ok(Box::new(move || Box::new(RandomAgent::new(game.clone()))))
                },
            },
            Kind {
                name: "priority",
                options: &["order"],
                make: |registry, spec| {
                    let game = registry.game.clone();
                    let order = spec.parsed("order", str::parse::<Order>)?;
                    let order =
                        order.ok_or_else(|| missing(spec, "order", "priority:order=drlu"))?;
                    Ok(Box::new(move || {
                        Box::new(PriorityAgent::new(game.clone(), order))
                    }))
                },
            },
            Kind {
                name: "greedy",
                options: &["value", "downgrade"],
                make: |registry, spec| {
                    let value =
                        registry.value_of(spec, "greedy:value=runs/001", Objective::Score)?;
                    let game = registry.game.clone();
                    Ok(Box::new(move || {
                        Box::new(GreedyAgent::new(game.clone(), value.clone()))
                    }))
                },
            },
            Kind {
                name: "expectimax",
                options: &[
                    "value",
                    "depth",
                    "time",
                    "goal",
                    "samples",
                    "cutoff",
                    "table",
                    "prune",
                    "threads",
                    "downgrade",
                ],
                make: |registry, spec| registry.expectimax(spec),
            },
        ]
    }

    /// How to make the agent that a spec names.
    ///
    /// # Errors
    /// When there is no such agent, it has no such option, or its value function cannot be had.
    pub fn maker(&self, spec: &AgentSpec) -> Result<AgentMaker<G>, SpecError> {
        let make = (kind_of(spec)?.make)(self, spec)?;
        let Some(threshold) = spec.parsed("downgrade", tile_rank)? else {
            return Ok(make);
        };
        let game = self.game.clone();
        Ok(Box::new(move || {
            Box::new(Downgraded::new(game.clone(), make(), threshold))
        }))
    }

    fn expectimax(&self, spec: &AgentSpec) -> Result<AgentMaker<G>, SpecError> {
        let settings = search_settings(spec)?;
        let goal = settings.goal.map_or(Objective::Score, |Goal(goal)| goal);
        let value = self.value_of(spec, "expectimax:value=rowtable,depth=3", goal)?;
        let search = Expectimax::new(&self.game, value, settings, self.stop.clone())
            .map_err(|error| SpecError::Settings(format!("agent '{spec}': {error}")))?;
        Ok(Box::new(move || {
            Box::new(ExpectimaxAgent::new(search.another()))
        }))
    }

    /// The value function of a spec; `zero` takes the goal for its objective.
    fn value_of(
        &self,
        spec: &AgentSpec,
        example: &'static str,
        goal: Objective,
    ) -> Result<AnyValue<G>, SpecError> {
        let name = spec.option("value");
        let name = name.ok_or_else(|| missing(spec, "value", example))?;
        let (kind, file) = match name.split_once('@') {
            Some((kind, file)) => (kind, Some(file)),
            None => (name, None),
        };
        let Some(evaluator) = evaluators().into_iter().find(|known| known.name == kind) else {
            return self.files.value(name);
        };
        let settings = file.map(|file| self.files.settings(file)).transpose()?;
        let made = (evaluator.make)(&self.game, settings.as_deref(), goal);
        made.map_err(|error| SpecError::Settings(format!("{}: {error}", file.unwrap_or(kind))))
    }
}

/// The longest time for one move.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Entries of all transposition tables of an agent: 1 GiB.
const MOST_ENTRIES: usize = 1 << 26;

/// The settings of a search by the options of a spec.
fn search_settings(spec: &AgentSpec) -> Result<SearchSettings, SpecError> {
    let usual = SearchSettings::default();
    let time = spec.parsed("time", |text| {
        let time = humantime::parse_duration(text).ok();
        let time = time.filter(|time| !time.is_zero() && *time <= LONGEST);
        time.ok_or_else(|| format!("'{text}' is no time: expected one up to a day, such as 50ms"))
    })?;
    let cutoff = spec.parsed("cutoff", |text| {
        let cutoff = text
            .parse()
            .ok()
            .filter(|cutoff: &f64| *cutoff > 0.0 && *cutoff < 1.0);
        cutoff.ok_or_else(|| {
            format!(
                "'{text}' is no cut-off: expected a probability between 0 and 1, such as 0.0001"
            )
        })
    })?;
    let prune = spec.parsed("prune", |text| match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err(format!("expected yes or no, found '{text}'")),
    })?;
    let depth = spec.parsed("depth", str::parse)?;
    let threads = spec.parsed("threads", |text| number(text, 1, 256))?;
    let threads = threads.unwrap_or(usual.threads);
    let most = MOST_ENTRIES / threads;
    let table = spec.parsed("table", |text| number(text, 0, most))?;
    let table = table.unwrap_or(usual.table);
    Ok(SearchSettings {
        depth: match time {
            Some(_) => depth.unwrap_or(crate::DepthRule::Fixed(u32::MAX)),
            None => depth.unwrap_or(usual.depth),
        },
        time,
        goal: spec.parsed("goal", str::parse)?,
        samples: spec
            .parsed("samples", |text| number(text, 1, 25))?
            .map(|samples| samples as u32),
        cutoff,
        table,
        prune: prune.unwrap_or(usual.prune),
        threads,
    })
}

/// The rank of a tile, given by its number.
fn tile_rank(text: &str) -> Result<u8, String> {
    let rank = text.parse().ok().and_then(rank).filter(|rank| *rank > 0);
    rank.ok_or_else(|| format!("expected a tile such as 32768, found '{text}'"))
}

fn number(text: &str, least: usize, greatest: usize) -> Result<usize, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (least..=greatest).contains(number));
    number.ok_or_else(|| format!("expected a number from {least} to {greatest}, found '{text}'"))
}

fn missing(spec: &AgentSpec, key: &'static str, example: &'static str) -> SpecError {
    SpecError::Missing {
        agent: spec.name.clone(),
        key,
        example,
    }
}

/// Checks that there is such an agent with such options, whatever the game and the options' values.
///
/// # Errors
/// When there is none.
pub fn check_spec(spec: &AgentSpec) -> Result<(), SpecError> {
    kind_of::<Classic>(spec).map(|_| ())
}

/// Whether an agent of this kind plays by a value function.
pub fn takes_value(spec: &AgentSpec) -> bool {
    kind_of::<Classic>(spec).is_ok_and(|kind| kind.options.contains(&"value"))
}

fn kind_of<G: Game>(spec: &AgentSpec) -> Result<Kind<G>, SpecError> {
    let kinds = Registry::<G>::kinds();
    let names = kinds.each_ref().map(|kind| kind.name);
    let kind = kinds.into_iter().find(|kind| kind.name == spec.name);
    let kind = kind.ok_or_else(|| SpecError::UnknownAgent {
        name: spec.name.clone(),
        known: names.join(", "),
    })?;
    let unknown = spec
        .options
        .iter()
        .find(|(key, _)| !kind.options.contains(&key.as_str()));
    if let Some((key, _)) = unknown {
        return Err(SpecError::UnknownOption {
            agent: spec.name.clone(),
            key: key.clone(),
            known: match kind.options {
                [] => "none".to_owned(),
                options => options.join(", "),
            },
        });
    }
    Ok(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct NoFiles;

    impl<G: Game> Files<G> for NoFiles {
        fn value(&self, path: &str) -> Result<AnyValue<G>, SpecError> {
            Err(SpecError::Value(format!("no value {path}")))
        }

        fn settings(&self, path: &str) -> Result<String, SpecError> {
            Ok(format!("{path} = 1"))
        }
    }

    #[test]
    fn unknown_agents_and_options_list_what_exists() {
        let registry = Registry::new(Classic, &NoFiles, Arc::default());
        let error = |text: &str| {
            let made = text.parse().and_then(|spec| registry.maker(&spec));
            made.err().map_or(String::new(), |error| error.to_string())
        };
        for sound in [
            "random",
            "priority:order=drlu",
            "greedy:value=zero",
            "greedy:value=heuristic",
            "greedy:value=heuristic@empty",
            "greedy:value=zero,downgrade=32768",
            "expectimax:value=rowtable",
            "expectimax:value=zero,goal=moves,depth=tiles:2-4,samples=3,cutoff=0.01,table=0,prune=no",
            "expectimax:value=rowtable,goal=reach:4096,time=5ms,threads=2",
        ] {
            assert_eq!(error(sound), "", "{sound}");
        }
        for (text, message) in [
            ("greedy:value=x", "no value x"),
            (
                "clever",
                "there is no agent 'clever'; there are random, priority, greedy, expectimax",
            ),
            (
                "random:a=1",
                "agent 'random' has no option 'a'; it has none",
            ),
            (
                "greedy:depth=2",
                "agent 'greedy' has no option 'depth'; it has value, downgrade",
            ),
            (
                "greedy",
                "agent 'greedy' needs the option 'value', such as greedy:value=runs/001",
            ),
            (
                "priority",
                "agent 'priority' needs the option 'order', such as priority:order=drlu",
            ),
            (
                "greedy:value=heuristic@merge",
                "merge: there is no weight 'merge'; there are alive, empty, monotonicity, smoothness, merges, largest, corner",
            ),
            (
                "expectimax:value=zero,depth=0",
                "option 'depth' of agent 'expectimax': '0' is no depth: expected a number from 1 to 600, such as 3, or empty:LEAST-GREATEST or tiles:LEAST-GREATEST, such as tiles:3-6",
            ),
            (
                "greedy:value=zero,downgrade=15",
                "option 'downgrade' of agent 'greedy': expected a tile such as 32768, found '15'",
            ),
            (
                "expectimax:value=zero,samples=0",
                "option 'samples' of agent 'expectimax': expected a number from 1 to 25, found '0'",
            ),
            (
                "expectimax:value=zero,cutoff=2",
                "option 'cutoff' of agent 'expectimax': '2' is no cut-off: expected a probability between 0 and 1, such as 0.0001",
            ),
            (
                "expectimax:value=zero,time=0s",
                "option 'time' of agent 'expectimax': '0s' is no time: expected one up to a day, such as 50ms",
            ),
            (
                "expectimax:value=zero,goal=reach:3",
                "option 'goal' of agent 'expectimax': 'reach:3' is no goal: expected score, moves or reach:TILE, such as reach:2048",
            ),
            (
                "expectimax:value=rowtable,goal=score",
                "agent 'expectimax:value=rowtable,goal=score': a rating does not serve the goal 'score': the value zero serves every goal, and a rating also reach:TILE",
            ),
        ] {
            assert_eq!(error(text), message);
        }
    }
}
