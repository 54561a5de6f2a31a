//! `games.csv`: a row a game.

use engine::{Outcome, rank};
use evaluation::{GameResult, Report};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Row {
    agent: String,
    seed: u64,
    game: u64,
    score: u64,
    moves: u64,
    largest_tile: u64,
    moves_to_target: Option<u64>,
    seconds: f64,
}

/// All games of a report.
pub(super) fn write(report: &Report) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for agent in &report.agents {
        for game in &agent.results {
            writer.serialize(Row {
                agent: agent.agent.clone(),
                seed: report.seed,
                game: game.number,
                score: game.outcome.score,
                moves: game.outcome.moves,
                largest_tile: engine::tile(game.outcome.largest_rank),
                moves_to_target: game.moves_to_target,
                seconds: (1e6 * game.seconds).round() / 1e6,
            })?;
        }
    }
    writer
        .into_inner()
        .map_err(|error| error.into_error().into())
}

/// Gives a report its games back.
pub(super) fn read(report: &mut Report, text: &[u8]) -> Result<(), String> {
    let mut reader = csv::Reader::from_reader(text);
    let mut rows = reader.deserialize::<Row>();
    for agent in &mut report.agents {
        for _ in 0..agent.games {
            let row = rows.next().ok_or("it has fewer games than its report")?;
            let row = row.map_err(|error| error.to_string())?;
            let tile = row.largest_tile;
            let largest_rank = rank(tile).ok_or_else(|| format!("{tile} is no tile"))?;
            if row.agent != agent.agent {
                return Err(format!("a game of {} is not in its place", agent.agent));
            }
            agent.results.push(GameResult {
                number: row.game,
                outcome: Outcome {
                    score: row.score,
                    moves: row.moves,
                    largest_rank,
                },
                moves_to_target: row.moves_to_target,
                seconds: row.seconds,
            });
        }
    }
    match rows.next() {
        None => Ok(()),
        Some(_) => Err("it has more games than its report".to_owned()),
    }
}
