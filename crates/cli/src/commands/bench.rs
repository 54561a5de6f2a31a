use crate::failure::Failure;
use crate::games::{AnyGame, read_settings, with_game};
use crate::progress::note;
use crate::provenance::Origin;
use crate::{agents, interrupt};
use evaluation::{AgentSpec, BenchReport, bench, bench_table, positions};
use network::Indexed;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Measure the speed of agents on fixed positions, on one thread.
///
/// The nodes are a signature of a search: a change that is to change nothing leaves them alone. Without any agent,
/// searches with the hand-made evaluators are measured.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Agents to measure, such as expectimax:value=runs/001,depth=2
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Positions to decide, a board a line such as `2 4 0 0/0 8 0 0/0 0 0 0/0 0 0 2` [default: a set of 4x4 boards]
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// The game: 4x4, 3x3, 2x3, ... or a TOML file [default: what the first model was trained on]
    #[arg(long)]
    rules: Option<String>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// What is measured without agents given.
const USUAL: [&str; 3] = [
    "expectimax:value=rowtable,depth=4",
    "expectimax:value=heuristic,depth=3",
    "expectimax:value=zero,depth=3",
];

/// The JSON object.
#[derive(Serialize)]
struct Output {
    agents: Vec<BenchReport>,
    interrupted: bool,
    rules: String,
    #[serde(flatten)]
    origin: Origin,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let usual = USUAL.map(str::to_owned);
    let texts = match arguments.agents.as_slice() {
        [] => &usual,
        agents => agents,
    };
    let specs = agents::parse_all(texts)?;
    let rules = agents::rules_for(arguments.rules.as_deref(), &specs)?;
    let text = arguments
        .positions
        .as_deref()
        .map(read_settings)
        .transpose();
    let text = text.map_err(Failure::usage)?;
    let interrupted = interrupt::flag();
    let reports = with_game!(AnyGame::new(&rules)?, game => {
        let positions = match (&arguments.positions, text) {
            (Some(path), Some(text)) => positions(&game, Some(&text)).map_err(|(line, error)| {
                Failure::usage(format!("{}, line {line}: {error}", path.display()))
            })?,
            _ => positions(&game, None).map_err(|_| {
                Failure::usage(format!(
                    "the usual positions are 4x4 boards: give boards of {} with --positions FILE",
                    rules.geometry()
                ))
            })?,
        };
        measure(&game, &specs, &positions, &interrupted)?
    });
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        let output = Output {
            agents: reports,
            interrupted: interrupted.load(Relaxed),
            rules: rules.to_string(),
            origin: Origin::here(),
        };
        serde_json::to_writer_pretty(&mut stdout, &output)?;
        writeln!(stdout)?;
    } else {
        writeln!(stdout, "{}", bench_table(&reports))?;
    }
    if interrupted.load(Relaxed) {
        note("Interrupted: the agents from the one at work on are left out.");
        return Err(Failure::Interrupted);
    }
    Ok(())
}

fn measure<G: Indexed>(
    game: &G,
    specs: &[AgentSpec],
    positions: &[G::Board],
    interrupted: &Arc<AtomicBool>,
) -> Result<Vec<BenchReport>, Failure> {
    if positions.is_empty() {
        return Err(Failure::usage(
            "there is no position with a legal move: expected a board a line, such as 2 4 0 0/0 8 0 0/0 0 0 0/0 0 0 2",
        ));
    }
    let (makers, _) = agents::makers(game, specs, interrupted)?;
    let reports = specs.iter().zip(&makers).map_while(|(spec, maker)| {
        note(&format!("Measuring {spec}"));
        bench(spec, maker, positions, interrupted)
    });
    Ok(reports.collect())
}
