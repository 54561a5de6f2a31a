use crate::{AgentSpec, GreedyAgent, RandomAgent, SpecError};
use engine::{Agent, Classic, Game, ValueFunction};
use std::sync::Arc;

/// Makes an agent, one for each thread that plays.
pub type AgentMaker<G> = Box<dyn Fn() -> Box<dyn Agent<G>> + Send + Sync>;

/// Finds the value function that a text names.
pub type ValueSource<'a, G> = dyn Fn(&str) -> Result<Arc<dyn ValueFunction<G>>, SpecError> + 'a;

/// All agents that there are, for one game.
pub struct Registry<'a, G> {
    game: G,
    values: &'a ValueSource<'a, G>,
}

/// How one kind of agent is made from its spec.
struct Kind<G: Game> {
    name: &'static str,
    options: &'static [&'static str],
    make: fn(&Registry<'_, G>, &AgentSpec) -> Result<AgentMaker<G>, SpecError>,
}

impl<'a, G: Game> Registry<'a, G> {
    /// Agents for `game`, with value functions from `values`.
    pub fn new(game: G, values: &'a ValueSource<'a, G>) -> Self {
        Registry { game, values }
    }

    /// Every kind of agent: a new one is a file in `agents` and an entry here.
    fn kinds() -> [Kind<G>; 2] {
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
                name: "greedy",
                options: &["value"],
                make: |registry, spec| {
                    let (game, value) = (registry.game.clone(), registry.value_of(spec)?);
                    Ok(Box::new(move || {
                        Box::new(GreedyAgent::new(game.clone(), value.clone()))
                    }))
                },
            },
        ]
    }

    /// How to make the agent that a spec names.
    ///
    /// # Errors
    /// When there is no such agent, it has no such option, or its value function cannot be had.
    pub fn maker(&self, spec: &AgentSpec) -> Result<AgentMaker<G>, SpecError> {
        (kind_of(spec)?.make)(self, spec)
    }

    fn value_of(&self, spec: &AgentSpec) -> Result<Arc<dyn ValueFunction<G>>, SpecError> {
        let given = spec.options.iter().find(|(key, _)| key == "value");
        let (_, name) = given.ok_or_else(|| SpecError::Missing {
            agent: spec.name.clone(),
            key: "value",
            example: "greedy:value=runs/001/model",
        })?;
        (self.values)(name)
    }
}

/// Checks that there is such an agent with such options, whatever the game and the options' values.
///
/// # Errors
/// When there is none.
pub fn check_spec(spec: &AgentSpec) -> Result<(), SpecError> {
    kind_of::<Classic>(spec).map(|_| ())
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

    #[test]
    fn unknown_agents_and_options_list_what_exists() {
        let no_values = |name: &str| Err(SpecError::Value(format!("no value {name}")));
        let registry = Registry::new(Classic, &no_values);
        let error = |text: &str| {
            let made = text.parse().and_then(|spec| registry.maker(&spec));
            made.err().map(|error| error.to_string())
        };
        assert_eq!(error("random"), None);
        assert_eq!(error("greedy:value=x").as_deref(), Some("no value x"));
        assert_eq!(
            error("clever").as_deref(),
            Some("there is no agent 'clever'; there are random, greedy")
        );
        assert_eq!(
            error("random:a=1").as_deref(),
            Some("agent 'random' has no option 'a'; it has none")
        );
        assert_eq!(
            error("greedy:depth=2").as_deref(),
            Some("agent 'greedy' has no option 'depth'; it has value")
        );
        assert!(error("greedy").is_some_and(|text| text.contains("needs the option 'value'")));
    }
}
