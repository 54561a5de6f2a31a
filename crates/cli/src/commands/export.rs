use crate::failure::Failure;
use crate::games::{AnyGame, with_game};
use crate::progress::note;
use crate::{provenance, runs};
use engine::Rules;
use network::{Indexed, ModelFile, NTuple, save, save_compact};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Write a model for others: small, or the mean of several.
///
/// Weights are rounded to the initial one and a multiple of --step, and packed; what was never learned takes no room.
/// Such a model plays everywhere that another does; training goes on from checkpoints only.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Models, checkpoints or run folders; of several the mean is written [default: the latest run]
    #[arg(value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// How coarsely weights are rounded, in points of score
    #[arg(long, value_name = "POINTS", default_value_t = 16.0)]
    step: f32,
    /// Write the weights as they are, four bytes each
    #[arg(long, conflicts_with = "step")]
    exact: bool,
    /// Folder of the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// What was written.
#[derive(Serialize)]
struct Exported {
    model: PathBuf,
    hash: String,
    bytes: u64,
    models: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !(arguments.step.is_finite() && arguments.step > 0.0) {
        return Err(Failure::usage(format!(
            "--step is {}, expected points of score such as 16",
            arguments.step
        )));
    }
    let mut models = arguments.models.clone();
    if models.is_empty() {
        models.extend(runs::latest_playable(&arguments.runs));
    }
    let Some(first) = models.first() else {
        return Err(Failure::usage(format!(
            "there is no model in {}: name one",
            arguments.runs.display()
        )));
    };
    let file = ModelFile::open(&runs::find_model(first).map_err(Failure::failed)?)?;
    let rules = file.header().rules.clone();
    let mut provenance = file.header().provenance.clone();
    if models.len() > 1 {
        provenance.command = provenance::of_program().command;
    }
    let hash = with_game!(AnyGame::new(&rules)?, game => {
        let network = mean(&models, file, &rules, &game)?;
        match arguments.exact {
            true => save(&arguments.out, &network, &rules, provenance, None, &[]),
            false => save_compact(&arguments.out, &network, &rules, provenance, arguments.step),
        }?
    });
    let exported = Exported {
        hash: format!("{hash:016x}"),
        bytes: arguments
            .out
            .metadata()
            .map_or(0, |metadata| metadata.len()),
        model: arguments.out.clone(),
        models,
    };
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        serde_json::to_writer_pretty(&mut stdout, &exported)?;
        writeln!(stdout)?;
    } else {
        let megabytes = exported.bytes as f64 / 1e6;
        let path = exported.model.display();
        writeln!(stdout, "{path}: {megabytes:.1} MB, hash {}", exported.hash)?;
    }
    Ok(())
}

/// The mean of some networks, of which the first is open.
fn mean<G: Indexed>(
    models: &[PathBuf],
    first: ModelFile,
    rules: &Rules,
    game: &G,
) -> Result<NTuple<G>, Failure> {
    note(&format!("Reading {}", models[0].display()));
    let (mut network, _) = first.load(game)?;
    for (before, path) in (1..).zip(&models[1..]) {
        note(&format!("Reading {}", path.display()));
        let file = ModelFile::open(&runs::find_model(path).map_err(Failure::failed)?)?;
        let same = file.header().rules == *rules;
        let (other, _) = file.load(game)?;
        if !same || !network.blend(&other, 1.0 / (before as f32 + 1.0)) {
            return Err(Failure::failed(format!(
                "{} has other rules, patterns, stages or initial values than {}: the mean is of models that are trained alike",
                path.display(),
                models[0].display()
            )));
        }
    }
    Ok(network)
}
