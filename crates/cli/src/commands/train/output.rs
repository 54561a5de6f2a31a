//! What `train` prints at its end.

use super::Arguments;
use crate::failure::Failure;
use crate::progress;
use crate::provenance::{program, quoted};
use evaluation::Report;
use network::Indexed;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use trainer::{METRICS, Run, Saved};

/// The JSON object. Paths are texts, so that one that is no Unicode costs nothing.
#[derive(Serialize)]
struct Output {
    run: String,
    /// The model; none if training was interrupted.
    model: Option<String>,
    model_hash: Option<String>,
    checkpoint: String,
    interrupted: bool,
    games: u64,
    moves: u64,
    seconds: f64,
    moves_per_second: f64,
    /// Of the last 1,000 games.
    mean_score: f64,
    /// The best of the players that were measured on the way; none if they were not.
    best_model: Option<String>,
    evaluation: Option<Report>,
}

pub(super) fn print<G: Indexed>(
    run: &Run<G>,
    saved: Option<&Saved>,
    evaluation: Option<Report>,
    interrupted: bool,
    arguments: &Arguments,
) -> Result<(), Failure> {
    let summary = run.summary();
    let moves_per_second = summary.moves as f64 / summary.seconds.max(1e-9);
    let checkpoint = run.path().join(trainer::CHECKPOINT);
    let text = |path: &Path| path.display().to_string();
    let measured = run.config().eval_every > 0;
    let best = run.best_evaluation().filter(|_| measured);
    let best = best.map(|evaluation| (run.path().join(trainer::BEST), evaluation));
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        let output = Output {
            run: text(run.path()),
            model: saved.map(|saved| text(&saved.model)),
            model_hash: saved.map(|saved| format!("{:016x}", saved.hash)),
            checkpoint: text(&checkpoint),
            interrupted,
            games: summary.games,
            moves: summary.moves,
            seconds: summary.seconds,
            moves_per_second,
            mean_score: summary.mean_score,
            best_model: best.as_ref().map(|(path, _)| text(path)),
            evaluation,
        };
        serde_json::to_writer(&mut stdout, &output)?;
        return Ok(writeln!(stdout)?);
    }
    writeln!(
        stdout,
        "Trained {} games in {:.1} s ({}); mean score of the last {}: {:.0}.",
        summary.games,
        summary.seconds,
        progress::rate(moves_per_second),
        summary.games.min(1_000),
        summary.mean_score
    )?;
    // Commands that work as printed, from the same folder.
    let program = program();
    let folder = quoted(&text(run.path()));
    let name = run
        .path()
        .file_name()
        .unwrap_or_default()
        .display()
        .to_string();
    let mut resume = format!("{program} train --resume --name {name}");
    if arguments.runs != Path::new("runs") {
        resume += &format!(" --runs {}", quoted(&text(&arguments.runs)));
    }
    let Some(saved) = saved else {
        writeln!(stdout, "Stopped, and saved in {}.", checkpoint.display())?;
        writeln!(stdout, "  go on    {resume}")?;
        return Ok(writeln!(
            stdout,
            "  watch    {program} play greedy:value={folder}"
        )?);
    };
    if let Some(report) = evaluation {
        writeln!(stdout, "\n{}\n", report.table())?;
        if interrupted {
            writeln!(
                stdout,
                "Interrupted: these are the games up to the first unfinished one."
            )?;
        }
    }
    writeln!(stdout, "  model    {}", saved.model.display())?;
    if let Some((path, evaluation)) = best {
        writeln!(
            stdout,
            "  best     {}, of {} games: mean score {:.0}",
            path.display(),
            evaluation.games,
            evaluation.mean_score
        )?;
    }
    let runs = quoted(&text(&arguments.runs));
    writeln!(
        stdout,
        "  curves   {folder}/{METRICS}, and: tensorboard --logdir {runs}"
    )?;
    writeln!(stdout, "  watch    {program} play greedy:value={folder}")?;
    writeln!(
        stdout,
        "  measure  {program} eval greedy:value={folder} --games 10000"
    )?;
    writeln!(
        stdout,
        "  go on    {resume} --games {}",
        summary.games.saturating_mul(2)
    )?;
    Ok(())
}
