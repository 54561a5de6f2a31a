use crate::failure::Failure;
use crate::games::{AnyGame, with_game};
use crate::{runs, shipped};
use engine::Objective;
use network::{Encoding, Indexed, ModelFile, Provenance, Stages};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use trainer::Metrics;

/// Say what is in a model, a checkpoint or a run.
///
/// The whole file is read, so this also tells whether it is sound.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A model, a checkpoint or a run folder [default: the latest run, or else the model that ships]
    path: Option<PathBuf>,
    /// Folder of the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// What there is to say about a file, and the run that it is of.
#[derive(Serialize)]
struct Info {
    path: String,
    kind: &'static str,
    bytes: u64,
    hash: String,
    rules: String,
    patterns: String,
    cells: Vec<Vec<u8>>,
    symmetric: bool,
    features: usize,
    /// How look-ups are worked out on this processor.
    kernel: &'static str,
    radix: u32,
    stages: Stages,
    /// What every afterstate was worth before anything was learned.
    initial_value: f32,
    encoding: Encoding,
    weights: u64,
    nonzero_weights: u64,
    smallest_weight: f32,
    largest_weight: f32,
    objective: Objective,
    provenance: Provenance,
    run: Option<RunInfo>,
}

/// How far a run is.
#[derive(Serialize)]
struct RunInfo {
    path: String,
    /// Games to train in total.
    games: u64,
    /// Games trained, as far as they are saved.
    trained: u64,
    /// Files in the folder.
    files: Vec<String>,
    /// The last point of the curves.
    last: Option<Metrics>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let path = match &arguments.path {
        Some(path) => path.clone(),
        None => runs::latest(&arguments.runs)
            .or_else(|| shipped::find(Path::new(shipped::DEFAULT)))
            .ok_or_else(|| {
                Failure::usage(format!(
                    "there is no run in {}: name a file or a folder, or make a run with `afterstate train`",
                    arguments.runs.display()
                ))
            })?,
    };
    let file_path = runs::find_model(&path).map_err(Failure::failed)?;
    if file_path.join(trainer::CONFIG).is_file() {
        return Err(Failure::failed(format!(
            "{} is a run without checkpoint or model: either it is before its first checkpoint, or it was stopped before that, and `train --resume` with its --name starts it over",
            path.display()
        )));
    }
    let file = ModelFile::open(&file_path)?;
    let rules = file.header().rules.clone();
    let mut info = with_game!(AnyGame::new(&rules)?, game => read(&file_path, file, &game)?);
    if path.is_dir() {
        info.run = Some(read_run(&path, info.provenance.games)?);
    }
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut stdout, &info)?;
        writeln!(stdout)?;
    } else {
        write!(stdout, "{}", text(&info))?;
    }
    Ok(())
}

fn read<G: Indexed>(path: &Path, file: ModelFile, game: &G) -> Result<Info, Failure> {
    let kind = if file.is_checkpoint() {
        "checkpoint"
    } else {
        "model"
    };
    let header = file.header().clone();
    let (network, hash) = file.load(game)?;
    let (nonzero_weights, smallest_weight, largest_weight) = network.weight_range();
    Ok(Info {
        path: path.display().to_string(),
        kind,
        bytes: path.metadata().map_or(0, |metadata| metadata.len()),
        hash: format!("{hash:016x}"),
        rules: header.rules.to_string(),
        patterns: network.structure().to_string(),
        cells: network.structure().patterns().to_vec(),
        symmetric: network.structure().symmetric(),
        features: network.structure().features(),
        kernel: network.kernel_name(),
        radix: network.radix(),
        stages: header.stages,
        initial_value: header.initial_value,
        encoding: header.encoding,
        weights: network.entries(),
        nonzero_weights,
        smallest_weight,
        largest_weight,
        objective: header.objective,
        provenance: header.provenance,
        run: None,
    })
}

fn read_run(folder: &Path, trained: u64) -> Result<RunInfo, Failure> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut files: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    files.sort_unstable();
    let metrics = std::fs::read_to_string(folder.join(trainer::METRICS)).unwrap_or_default();
    Ok(RunInfo {
        path: folder.display().to_string(),
        games: trainer::stored_config(folder)?.games,
        trained,
        files,
        last: metrics
            .lines()
            .last()
            .and_then(|line| serde_json::from_str(line).ok()),
    })
}

fn text(info: &Info) -> String {
    let provenance = &info.provenance;
    let share = 100.0 * info.nonzero_weights as f64 / info.weights.max(1) as f64;
    let mut text = String::new();
    let mut row = |name: &str, value: String| text += &format!("{name:<10} {value}\n");
    if let Some(run) = &info.run {
        let state = if run.trained < run.games {
            "can be resumed"
        } else {
            "complete"
        };
        row(
            "run",
            format!(
                "{}, {} of {} games, {state}",
                run.path, run.trained, run.games
            ),
        );
        row("files", run.files.join(", "));
        if let Some(last) = &run.last {
            let error = match last.td_error {
                error if error < 1e9 => format!("{error:.1}"),
                _ => "beyond all bounds: it diverged".to_owned(),
            };
            row(
                "curves",
                format!(
                    "at {} games: mean score {:.0}, mean moves {:.0}, largest tile {}, TD error {error}",
                    last.games, last.mean_score, last.mean_moves, last.max_tile
                ),
            );
        }
    }
    let rows = [
        ("file", info.path.clone()),
        ("kind", format!("{} of an n-tuple network", info.kind)),
        ("size", format!("{:.1} MB", info.bytes as f64 / 1e6)),
        ("hash", info.hash.clone()),
        ("game", info.rules.clone()),
        ("objective", format!("{:?}", info.objective).to_lowercase()),
        (
            "patterns",
            format!(
                "{}: {} tables, {} look-ups a value, radix {}, {} kernel here",
                info.patterns,
                info.cells.len(),
                info.features,
                info.radix,
                info.kernel
            ),
        ),
        ("stages", info.stages.to_string()),
        (
            "weights",
            format!(
                "{}, {share:.2} % not 0, from {} to {}{}",
                info.weights,
                info.smallest_weight,
                info.largest_weight,
                match info.encoding {
                    Encoding::Plain => String::new(),
                    Encoding::Compact { step, .. } => format!(", rounded to steps of {step}"),
                }
            ),
        ),
        (
            "trained",
            format!(
                "{} games, {} moves, {:.1} s, {} threads, seed {}",
                provenance.games,
                provenance.moves,
                provenance.seconds,
                provenance.threads,
                provenance.seed
            ),
        ),
        (
            "program",
            format!(
                "afterstate {}, revision {}",
                provenance.version, provenance.revision
            ),
        ),
        ("processor", provenance.processor.clone()),
        ("command", provenance.command.clone()),
    ];
    for (name, value) in rows {
        row(name, value);
    }
    text += "configuration\n";
    for line in provenance.config.lines() {
        text += &format!("  {line}\n");
    }
    text
}
