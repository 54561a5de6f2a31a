use crate::agents::{Logs, ModelHashes};
use crate::explain::Explain;
use crate::failure::Failure;
use crate::games::{AnyGame, with_game};
use crate::progress::note;
use crate::provenance::Origin;
use crate::recorder::Recorder;
use crate::report::{Folder, Output, axis};
use crate::{agents, interrupt, recorder};
use engine::Rules;
use evaluation::{AgentSpec, Match, Report};
use network::Indexed;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Measure agents over many seeded games.
///
/// An agent is `random`, `priority:order=drlu`, `greedy:value=V` or `expectimax:value=V,depth=3`; V is a model file, a
/// checkpoint, a run folder, or one of zero, heuristic, heuristic@WEIGHTS.toml and rowtable. Without any agent, the
/// latest trained player is measured beside random play. More options of expectimax: time=50ms, samples=4,
/// cutoff=0.0001, goal=reach:2048, depth=tiles:3-6 or empty:2-4, table=65536, prune=no, threads=2.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Agents to measure, such as greedy:value=runs/001
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Games of each agent
    #[arg(long, default_value = "1000", value_parser = clap::value_parser!(u64).range(1..))]
    games: u64,
    /// The number of the first game: games 0 to 499 and 500 to 999 of a seed are the halves of one match
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u64).range(..1 << 53))]
    first_game: u64,
    /// The tile that counts as success [default: that of the rules, usually 2048]
    #[arg(long, value_name = "TILE")]
    target: Option<u64>,
    /// Where all randomness comes from: the same seed gives the same games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games played at the same time [default: all processors]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// The game: 4x4, 3x3, 2x3, ... or a TOML file [default: what the first model was trained on]
    #[arg(long)]
    rules: Option<String>,
    /// Folder of the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// Write a report into a folder: report.md, report.json, games.csv (a row a game) and figures
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw scores on a logarithmic axis, for agents of very different strength
    #[arg(long, requires = "out")]
    log_axis: bool,
    /// Write every decision to a file, a JSON object a line: the board, the value of each legal move, nodes, depth, time
    #[arg(long, value_name = "FILE")]
    explain: Option<PathBuf>,
    /// Record all games, a byte a move; `play --replay FILE` shows them
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let specs = agents::parse_specs(&arguments.agents, &arguments.runs, true)?;
    let mut rules = agents::rules_for(arguments.rules.as_deref(), &specs)?;
    if arguments.target.is_some() {
        rules.target = arguments.target;
        rules
            .validate()
            .map_err(|error| Failure::Usage(error.into()))?;
    }
    let record = arguments.record.as_deref();
    if record.is_some() && record == arguments.explain.as_deref() {
        let message = "--record and --explain name the same file: give each its own";
        return Err(Failure::usage(message));
    }
    let folder = arguments.out.as_deref().map(Folder::create).transpose()?;
    Explain::during(arguments.explain.as_deref(), |explain| {
        let header = || recorder::header(&rules, &specs, arguments.seed);
        Recorder::during(record, header, |recorder| {
            let logs = Logs { explain, recorder };
            evaluate(arguments, &specs, &rules, logs, folder)
        })
    })
}

fn evaluate(
    arguments: &Arguments,
    specs: &[AgentSpec],
    rules: &Rules,
    logs: Logs<'_>,
    folder: Option<Folder>,
) -> Result<(), Failure> {
    let interrupted = interrupt::flag();
    let (report, models) = with_game!(AnyGame::new(rules)?, game => report(&game, rules, specs, arguments, logs, &interrupted)?);
    let interrupted = interrupted.load(Relaxed);
    if let Some(spec) = specs.iter().find(|spec| !spec.is_repeatable()) {
        note(&format!(
            "{spec} plays under a time budget: its numbers depend on the machine."
        ));
    }
    let none = report.agents.is_empty();
    let output = Output {
        report,
        interrupted,
        models,
        origin: Origin::here(),
    };
    // First what stays, whoever reads the rest.
    if let Some(folder) = folder.filter(|_| !none) {
        folder.write(&output, axis(arguments.log_axis))?;
        note(&format!("The report is in {}.", folder.path().display()));
    }
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut stdout, &output)?;
        writeln!(stdout)?;
    } else if !none {
        write!(stdout, "{}", output.summary())?;
    }
    if interrupted {
        note(match none {
            true => "Interrupted before the first game was finished.",
            false => "Interrupted: these are the games up to the first unfinished one.",
        });
        return Err(Failure::Interrupted);
    }
    Ok(())
}

fn report<G: Indexed>(
    game: &G,
    rules: &Rules,
    specs: &[AgentSpec],
    arguments: &Arguments,
    logs: Logs<'_>,
    interrupted: &Arc<AtomicBool>,
) -> Result<(Report, ModelHashes), Failure> {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let settings = Match {
        games: arguments.games,
        first: arguments.first_game,
        seed: arguments.seed,
        threads: arguments.threads.map_or_else(all, usize::from),
        target_rank: rules.target_rank(),
    };
    let mut report = Report::new(rules, settings);
    // All agents are made before the first game, so that a mistake in the last does not cost the others' time.
    let (makers, models) = agents::makers(game, specs, interrupted)?;
    for (number, (spec, maker)) in specs.iter().zip(makers).enumerate() {
        if let Some(recorder) = logs.recorder {
            recorder.begin_agent(number, settings.first);
        }
        let measured = agents::measure(game, rules, spec, &maker, settings, logs, interrupted)?;
        measured.into_iter().for_each(|agent| report.add(agent));
    }
    Ok((report, models))
}
