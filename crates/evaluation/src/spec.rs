use std::fmt;
use std::str::FromStr;

/// What an agent is called and how it is set: `name[:key=value,...]`.
///
/// ```
/// let spec: evaluation::AgentSpec = "greedy:value=runs/001/model".parse()?;
/// assert_eq!(spec.name, "greedy");
/// assert_eq!(spec.options, [("value".to_owned(), "runs/001/model".to_owned())]);
/// # Ok::<(), evaluation::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSpec {
    /// The kind of agent.
    pub name: String,
    /// Its settings, in the order given.
    pub options: Vec<(String, String)>,
}

/// Why there is no such agent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Not of the form `name[:key=value,...]`.
    #[error(
        "'{0}' is no agent: expected NAME or NAME:KEY=VALUE,KEY=VALUE, such as greedy:value=runs/001/model"
    )]
    Syntax(String),
    /// A name that no agent has.
    #[error("there is no agent '{name}'; there are {known}")]
    UnknownAgent {
        /// The name asked for.
        name: String,
        /// All agents.
        known: String,
    },
    /// A key that this agent does not have.
    #[error("agent '{agent}' has no option '{key}'; it has {known}")]
    UnknownOption {
        /// The agent.
        agent: String,
        /// The key asked for.
        key: String,
        /// All keys of the agent.
        known: String,
    },
    /// A key given twice.
    #[error("option '{key}' of agent '{agent}' is given twice")]
    Repeated {
        /// The agent.
        agent: String,
        /// The key.
        key: String,
    },
    /// A key that the agent cannot do without.
    #[error("agent '{agent}' needs the option '{key}', such as {example}")]
    Missing {
        /// The agent.
        agent: String,
        /// The key.
        key: &'static str,
        /// A whole agent that has it.
        example: &'static str,
    },
    /// A key's value that the agent cannot use.
    #[error("option '{key}' of agent '{agent}': {reason}")]
    Invalid {
        /// The agent.
        agent: String,
        /// The key.
        key: String,
        /// What was found, and what was expected.
        reason: String,
    },
    /// Settings that do not go together.
    #[error("{0}")]
    Settings(String),
    /// A value function that does not exist or cannot be used.
    #[error("{0}")]
    Value(String),
}

impl AgentSpec {
    /// The text given for a key.
    pub fn option(&self, key: &str) -> Option<&str> {
        let mut options = self.options.iter();
        options
            .find(|(known, _)| known == key)
            .map(|(_, value)| value.as_str())
    }

    /// The value of a key, as `parse` reads it.
    ///
    /// # Errors
    /// When there is one that cannot be read.
    pub fn parsed<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SpecError> {
        let value = self.option(key).map(parse).transpose();
        value.map_err(|reason| SpecError::Invalid {
            agent: self.name.clone(),
            key: key.to_owned(),
            reason,
        })
    }

    /// Whether the agent always decides alike. Not under a time budget: then it depends on the machine.
    pub fn is_repeatable(&self) -> bool {
        self.option("time").is_none()
    }
}

impl FromStr for AgentSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let syntax = || SpecError::Syntax(text.to_owned());
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        if name.trim().is_empty() {
            return Err(syntax());
        }
        let mut spec = AgentSpec {
            name: name.trim().to_owned(),
            options: Vec::new(),
        };
        for option in rest.into_iter().flat_map(|rest| rest.split(',')) {
            let (key, value) = option.split_once('=').ok_or_else(syntax)?;
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            if key.is_empty() || value.is_empty() {
                return Err(syntax());
            }
            if spec.options.iter().any(|(known, _)| *known == key) {
                let agent = spec.name;
                return Err(SpecError::Repeated { agent, key });
            }
            spec.options.push((key, value));
        }
        Ok(spec)
    }
}

impl fmt::Display for AgentSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (number, (key, value)) in self.options.iter().enumerate() {
            write!(f, "{}{key}={value}", if number == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_round_trip_and_nonsense_is_refused() {
        for text in ["random", "greedy:value=a/b=c", "x:a=1,b=2"] {
            assert_eq!(
                text.parse::<AgentSpec>().map(|spec| spec.to_string()),
                Ok(text.to_owned())
            );
        }
        for text in [
            "",
            ":",
            ":a=1",
            "greedy:",
            "greedy:value",
            "greedy:=x",
            "greedy:value=",
            "x:a=1,",
        ] {
            assert!(
                matches!(text.parse::<AgentSpec>(), Err(SpecError::Syntax(_))),
                "{text}"
            );
        }
        let twice = "x:a=1,a=2".parse::<AgentSpec>().expect_err("twice");
        assert_eq!(twice.to_string(), "option 'a' of agent 'x' is given twice");
    }
}
