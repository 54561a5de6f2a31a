//! The `afterstate` program: the only place where training, measuring and the terminal meet.

mod agents;
mod beside;
mod commands;
mod explain;
mod failure;
mod games;
mod interrupt;
mod progress;
mod provenance;
mod recorder;
mod report;
mod runs;
mod shipped;

use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Train, measure and watch players of 2048.
///
/// Begin with `afterstate train`: about a minute later there is a trained player, its curves and its score.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Train a value function by self-play, then measure it.
    Train(Box<commands::train::Arguments>),
    /// Measure agents over many seeded games.
    Eval(commands::eval::Arguments),
    /// Say what is in a model, a checkpoint or a run.
    Info(commands::info::Arguments),
    /// Write a model for others: small, or the mean of several.
    Export(commands::export::Arguments),
    /// Watch an agent play one game.
    Play(commands::play::Arguments),
    /// Draw learning curves of runs, or figures of reports again.
    Plot(commands::plot::Arguments),
    /// Measure the speed of agents on fixed positions.
    Bench(commands::bench::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Some(Command::Train(arguments)) => commands::train::run(&arguments),
        Some(Command::Eval(arguments)) => commands::eval::run(&arguments),
        Some(Command::Info(arguments)) => commands::info::run(&arguments),
        Some(Command::Export(arguments)) => commands::export::run(&arguments),
        Some(Command::Play(arguments)) => commands::play::run(&arguments),
        Some(Command::Plot(arguments)) => commands::plot::run(&arguments),
        Some(Command::Bench(arguments)) => commands::bench::run(&arguments),
        None => Arguments::command().print_help().map_err(Failure::from),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
