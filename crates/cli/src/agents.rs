//! Agents with learned values: where measuring meets networks and files.

use crate::failure::Failure;
use crate::progress::note;
use crate::{games, progress, runs};
use engine::{Game, Outcome, Rules, ValueFunction};
use evaluation::{AgentMaker, AgentReport, AgentSpec, Match, Registry, SpecError, check_spec};
use network::{Indexed, ModelFile, NTuple};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// The greedy player of a run.
pub(crate) fn greedy_of(run: &Path) -> AgentSpec {
    AgentSpec {
        name: "greedy".to_owned(),
        options: vec![("value".to_owned(), run.display().to_string())],
    }
}

/// Reads the value function that the option `value=` names: a model, a checkpoint, or a run folder.
fn load_value<G: Indexed>(game: &G, name: &str) -> Result<Arc<NTuple<G>>, SpecError> {
    let path = runs::model_file(Path::new(name));
    let loaded = ModelFile::open(&path).and_then(|file| file.load(game));
    let (network, _) = loaded.map_err(|error| SpecError::Value(error.to_string()))?;
    Ok(Arc::new(network))
}

/// The makers of some agents.
pub(crate) fn makers<G: Indexed>(
    game: &G,
    specs: &[AgentSpec],
) -> Result<Vec<AgentMaker<G>>, Failure> {
    let values = |name: &str| {
        let value: Arc<dyn ValueFunction<G>> = load_value(game, name)?;
        Ok(value)
    };
    let registry = Registry::new(game.clone(), &values);
    let makers = specs.iter().map(|spec| registry.maker(spec));
    Ok(makers.collect::<Result<_, _>>()?)
}

/// The agents that a command line asks for. Without any, the latest trained player, beside random play if
/// `baseline`.
pub(crate) fn parse_specs(
    texts: &[String],
    runs: &Path,
    baseline: bool,
) -> Result<Vec<AgentSpec>, Failure> {
    if !texts.is_empty() {
        let parse = |text: &String| -> Result<AgentSpec, SpecError> {
            let spec = text.parse()?;
            check_spec(&spec)?;
            Ok(spec)
        };
        return Ok(texts.iter().map(parse).collect::<Result<_, _>>()?);
    }
    let random = AgentSpec {
        name: "random".to_owned(),
        options: Vec::new(),
    };
    let Some(run) = runs::latest_playable(runs) else {
        note(&format!(
            "No trained player in {} yet (`afterstate train` makes one): random play.",
            runs.display()
        ));
        return Ok(vec![random]);
    };
    let mut specs = vec![greedy_of(&run)];
    if baseline {
        specs.push(random);
    }
    Ok(specs)
}

/// The game to play: what `--rules` says, or else what the first learned value was trained on, or 4x4.
pub(crate) fn rules_for(rules: Option<&str>, specs: &[AgentSpec]) -> Result<Rules, Failure> {
    if let Some(text) = rules {
        return games::parse_rules(text);
    }
    let options = specs.iter().flat_map(|spec| &spec.options);
    let mut values = options
        .filter(|(key, _)| key == "value")
        .map(|(_, value)| PathBuf::from(value));
    match values.next() {
        Some(path) => Ok(ModelFile::open(&runs::model_file(&path))?
            .header()
            .rules
            .clone()),
        None => Ok(Rules::default()),
    }
}

/// Plays an agent's games with a progress bar. `rules` are those asked for, whose target is counted.
/// Interrupted, it reports the games up to the first unfinished one; `None` if that leaves none.
pub(crate) fn measure<G: Game>(
    game: &G,
    rules: &Rules,
    spec: &AgentSpec,
    agent: &AgentMaker<G>,
    settings: Match,
    interrupted: &AtomicBool,
) -> Result<Option<AgentReport>, Failure> {
    note(&format!("Measuring {spec}"));
    let bar = progress::Progress::new(settings.games, 0);
    let (games, score, moves) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let begun = std::time::Instant::now();
    let each = |outcome: &Outcome| {
        let score = score.fetch_add(outcome.score, Relaxed) + outcome.score;
        let moves = moves.fetch_add(outcome.moves, Relaxed) + outcome.moves;
        let games = games.fetch_add(1, Relaxed) + 1;
        bar.show(games, || {
            let rate = progress::rate(moves as f64 / begun.elapsed().as_secs_f64());
            format!("mean score {}, {rate}", score / games)
        });
    };
    let result = settings.play(game, agent, interrupted, &each);
    bar.finish();
    let result = result.map_err(|error| Failure::failed(format!("{spec}: {error}")))?;
    let played = !result.outcomes.is_empty();
    Ok(played.then(|| AgentReport::new(spec, rules, &result)))
}
