//! The command `plot`.

use crate::failure::Failure;
use crate::progress::note;
use crate::report::{self, REPORT};
use crate::runs;
use evaluation::{Curve, CurvePoint, EvaluationPoint, Figure, Report};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use trainer::{CONFIG, METRICS};

/// Draw learning curves of runs, or the figures of saved reports again.
///
/// Of one or several runs it draws the mean score against games, moves and time, with the measurements of
/// `train --eval-every` as points. Of one or several reports of `eval --out` it draws all agents together.
/// Each figure is written as SVG and PNG.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Runs or folders of reports; LABEL=RUN gives a run a name [default: the latest run]
    #[arg(value_name = "FOLDER")]
    sources: Vec<OsString>,
    /// Where the figures go [default: the folder that they are of, if there is only one]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw scores of reports on a logarithmic axis, for agents of very different strength
    #[arg(long)]
    log_axis: bool,
    /// Folder of the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
}

/// What there is to draw.
enum Drawing {
    Reports(Vec<Report>),
    Runs(Vec<Curve>),
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut sources = arguments.sources.clone();
    if sources.is_empty() {
        let latest = runs::latest(&arguments.runs).ok_or_else(|| {
            let runs = arguments.runs.display();
            Failure::usage(format!("there is no run in {runs} to draw: name a folder"))
        })?;
        sources.push(latest.into_os_string());
    }
    let mut folders = Vec::new();
    let mut drawing = None;
    for source in &sources {
        let (label, folder) = labelled(source);
        add(&mut drawing, label, &folder)?;
        folders.push(folder);
    }
    let out = match (&arguments.out, folders.as_slice()) {
        (Some(out), _) => out,
        (None, [folder]) => folder,
        (None, _) => {
            let message = "several folders are drawn together: say with --out where the figures go";
            return Err(Failure::usage(message));
        }
    };
    fs::create_dir_all(out).map_err(|error| {
        let out = out.display();
        Failure::failed(format!("cannot create {out} for the figures: {error}"))
    })?;
    let drawn = match drawing {
        Some(Drawing::Reports(reports)) => {
            let report = together(reports)?;
            report::draw(
                out,
                Figure::of_report(&report, report::axis(arguments.log_axis)),
            )?
        }
        Some(Drawing::Runs(curves)) => report::draw(out, Figure::of_runs(&curves))?,
        None => Vec::new(),
    };
    let mut stdout = std::io::stdout().lock();
    for name in drawn {
        writeln!(stdout, "{}", out.join(name).display())?;
    }
    Ok(())
}

/// A label, if there is one, and a folder. A folder with an equals sign in its name needs no label.
fn labelled(source: &OsStr) -> (Option<&str>, PathBuf) {
    match source.to_str().and_then(|text| text.split_once('=')) {
        Some((label, folder)) if !Path::new(source).exists() => (Some(label), folder.into()),
        _ => (None, source.into()),
    }
}

/// Adds a report or a run to what is drawn.
fn add(drawing: &mut Option<Drawing>, label: Option<&str>, folder: &Path) -> Result<(), Failure> {
    let shown = folder.display();
    if folder.join(REPORT).is_file() {
        if label.is_some() {
            let message = format!("{shown} is a report, whose agents have names: give it no label");
            return Err(Failure::usage(message));
        }
        let Drawing::Reports(reports) = drawing.get_or_insert(Drawing::Reports(Vec::new())) else {
            return Err(mixed());
        };
        reports.push(report::read(folder)?);
        return Ok(());
    }
    if ![METRICS, CONFIG]
        .iter()
        .any(|name| folder.join(name).is_file())
    {
        return Err(Failure::usage(format!(
            "{shown} is neither a run with curves ({METRICS}) nor a report ({REPORT}) of eval --out"
        )));
    }
    let Drawing::Runs(curves) = drawing.get_or_insert(Drawing::Runs(Vec::new())) else {
        return Err(mixed());
    };
    curves.push(curve(label, folder)?);
    Ok(())
}

fn mixed() -> Failure {
    Failure::usage("runs and reports have no axis in common: draw them one after the other")
}

/// All agents of some reports in one.
fn together(reports: Vec<Report>) -> Result<Report, Failure> {
    let mut reports = reports.into_iter();
    let Some(mut all) = reports.next() else {
        return Err(Failure::usage("there is no report to draw"));
    };
    for report in reports {
        if report.rules != all.rules {
            return Err(Failure::usage(format!(
                "the reports are of different games, {} and {}: draw them one after the other",
                all.rules, report.rules
            )));
        }
        all.agents.extend(report.agents);
    }
    Ok(all)
}

fn curve(label: Option<&str>, run: &Path) -> Result<Curve, Failure> {
    let trainer::Curves {
        training,
        evaluations,
    } = trainer::curves(run)?;
    if training.is_empty() && evaluations.is_empty() {
        note(&format!("{} has no point yet.", run.display()));
    }
    let training = training.iter().map(|point| CurvePoint {
        games: point.games,
        moves: point.moves,
        seconds: point.seconds,
        score: point.mean_score,
    });
    let evaluations = evaluations.iter().map(|at| EvaluationPoint {
        point: CurvePoint {
            games: at.games,
            moves: at.moves,
            seconds: at.seconds,
            score: at.mean_score,
        },
        ci95: at.ci95,
    });
    Ok(Curve {
        label: label.map_or_else(|| described(run), str::to_owned),
        training: training.collect(),
        evaluations: evaluations.collect(),
    })
}

/// A run by its name and what sets it apart from others.
fn described(run: &Path) -> String {
    let name = match run.file_name() {
        Some(name) => name.display().to_string(),
        None => run.display().to_string(),
    };
    let Ok(config) = trainer::stored_config(run) else {
        return name;
    };
    let mut patterns = config.patterns.unwrap_or_default();
    let words = patterns.split_whitespace().count();
    if words > 1 {
        patterns = format!("{words} patterns");
    }
    let alpha = config
        .alpha
        .map_or(String::new(), |alpha| format!(" {alpha}"));
    let (rules, step_size, seed) = (config.rules, config.step_size, config.seed);
    let threads = config.threads.unwrap_or(1);
    let plural = if threads == 1 { "" } else { "s" };
    format!(
        "{name}: {rules}, {patterns}, {step_size}{alpha}, {threads} thread{plural}, seed {seed}"
    )
}
