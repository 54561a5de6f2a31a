//! Agents with learned values: where measuring meets networks and files.

use crate::explain::Explain;
use crate::failure::Failure;
use crate::progress::note;
use crate::recorder::Recorder;
use crate::{games, progress, runs, shipped};
use engine::{Game, Rules};
use evaluation::{
    AgentMaker, AgentReport, AgentSpec, AnyValue, Files, GameResult, Match, Observer, Played,
    Record, Registry, SpecError, check_spec, value_file,
};
use network::{Indexed, ModelFile};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The greedy player of a run, or by another model.
pub(crate) fn greedy_of(model: &Path) -> AgentSpec {
    AgentSpec {
        name: "greedy".to_owned(),
        options: vec![("value".to_owned(), model.display().to_string())],
    }
}

/// Checksums of the tables of models, in hexadecimal digits, by the names that agents have for them.
pub(crate) type ModelHashes = BTreeMap<String, String>;

/// The files that agents of a game name. Agents that name the same model share it.
struct FilesFor<G: Game> {
    game: G,
    models: RefCell<BTreeMap<String, (u64, AnyValue<G>)>>,
}

impl<G: Indexed> Files<G> for FilesFor<G> {
    /// Reads a model, a checkpoint, or a run folder.
    fn value(&self, name: &str) -> Result<AnyValue<G>, SpecError> {
        if let Some((_, value)) = self.models.borrow().get(name) {
            return Ok(value.clone());
        }
        let path = runs::find_model(Path::new(name)).map_err(SpecError::Value)?;
        let loaded = ModelFile::open(&path).and_then(|file| file.load(&self.game));
        let (network, hash) = loaded.map_err(|error| SpecError::Value(error.to_string()))?;
        let value: AnyValue<G> = Arc::new(network);
        let known = (hash, value.clone());
        self.models.borrow_mut().insert(name.to_owned(), known);
        Ok(value)
    }

    fn settings(&self, path: &str) -> Result<String, SpecError> {
        games::read_settings(Path::new(path)).map_err(SpecError::Settings)
    }
}

/// The makers of some agents, who stop thinking when interrupted, and the models that they play by.
pub(crate) fn makers<G: Indexed>(
    game: &G,
    specs: &[AgentSpec],
    interrupted: &Arc<AtomicBool>,
) -> Result<(Vec<AgentMaker<G>>, ModelHashes), Failure> {
    let files = FilesFor {
        game: game.clone(),
        models: RefCell::default(),
    };
    let registry = Registry::new(game.clone(), &files, interrupted.clone());
    let makers = specs.iter().map(|spec| registry.maker(spec));
    let makers = makers.collect::<Result<_, _>>()?;
    let models = files.models.into_inner().into_iter();
    let hashes = models.map(|(name, (hash, _))| (name, format!("{hash:016x}")));
    Ok((makers, hashes.collect()))
}

/// The agents that some texts name.
pub(crate) fn parse_all(texts: &[String]) -> Result<Vec<AgentSpec>, Failure> {
    let parse = |text: &String| -> Result<AgentSpec, SpecError> {
        let spec = text.parse()?;
        check_spec(&spec)?;
        Ok(shipped::add_default(spec))
    };
    Ok(texts.iter().map(parse).collect::<Result<_, _>>()?)
}

/// The agents that a command line asks for. Without any, the latest trained player, or else the shipped one, beside random
/// play if `baseline`.
pub(crate) fn parse_specs(
    texts: &[String],
    runs: &Path,
    baseline: bool,
) -> Result<Vec<AgentSpec>, Failure> {
    if !texts.is_empty() {
        return parse_all(texts);
    }
    let random = AgentSpec {
        name: "random".to_owned(),
        options: Vec::new(),
    };
    let trained = runs::latest_playable(runs).map(|run| greedy_of(&run));
    let Some(player) = trained.or_else(shipped::player) else {
        note(&format!(
            "No trained player in {} yet (`afterstate train` makes one): random play.",
            runs.display()
        ));
        return Ok(vec![random]);
    };
    let mut specs = vec![player];
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
    let values = specs.iter().filter_map(|spec| spec.option("value"));
    let mut files = values.filter_map(value_file);
    match files.next() {
        Some(path) => {
            let path = runs::find_model(Path::new(path)).map_err(Failure::failed)?;
            Ok(ModelFile::open(&path)?.header().rules.clone())
        }
        None => Ok(Rules::default()),
    }
}

/// Shows how a match goes, and logs its decisions.
struct Watch<'a, G> {
    game: &'a G,
    agent: String,
    bar: progress::Progress,
    begun: Instant,
    games: AtomicU64,
    score: AtomicU64,
    moves: AtomicU64,
    logs: Logs<'a>,
}

/// What is written of a match while it is played.
#[derive(Clone, Copy, Default)]
pub(crate) struct Logs<'a> {
    pub(crate) explain: Option<&'a Explain>,
    pub(crate) recorder: Option<&'a Recorder>,
}

impl<G: Game> Observer<G> for Watch<'_, G> {
    fn wants_records(&self) -> bool {
        self.logs.recorder.is_some()
    }

    fn finished(&self, result: &GameResult, record: Option<Record<G>>) {
        if let Some((recorder, record)) = self.logs.recorder.zip(record) {
            recorder.add(self.game, result.number, &record);
        }
        let outcome = &result.outcome;
        let score = self.score.fetch_add(outcome.score, Relaxed) + outcome.score;
        let moves = self.moves.fetch_add(outcome.moves, Relaxed) + outcome.moves;
        let games = self.games.fetch_add(1, Relaxed) + 1;
        self.bar.show(games, || {
            let rate = progress::rate(moves as f64 / self.begun.elapsed().as_secs_f64());
            format!("mean score {}, {rate}", score / games)
        });
    }

    fn hears_decisions(&self) -> bool {
        self.logs.explain.is_some()
    }

    fn decided(&self, played: &Played<'_, G>) {
        if let Some(explain) = self.logs.explain {
            explain.add(self.game, &self.agent, played);
        }
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
    logs: Logs<'_>,
    interrupted: &AtomicBool,
) -> Result<Option<AgentReport>, Failure> {
    note(&format!("Measuring {spec}"));
    let watch = Watch {
        game,
        agent: spec.to_string(),
        bar: progress::Progress::new(settings.games, 0),
        begun: Instant::now(),
        games: AtomicU64::new(0),
        score: AtomicU64::new(0),
        moves: AtomicU64::new(0),
        logs,
    };
    let result = settings.play(game, agent, interrupted, &watch);
    watch.bar.finish();
    let result = result.map_err(|error| Failure::failed(format!("{spec}: {error}")))?;
    let played = !result.games.is_empty();
    Ok(played.then(|| AgentReport::new(spec, rules, result)))
}
