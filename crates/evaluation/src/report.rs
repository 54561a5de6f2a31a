use crate::statistics::{MeanStatistics, RateStatistics, wilson_interval};
use crate::{AgentSpec, Match, MatchResult};
use comfy_table::{CellAlignment, Table, presets};
use engine::{Outcome, Rules, tile};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a match says about an agent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AgentReport {
    /// The agent's spec.
    pub agent: String,
    /// Games measured.
    pub games: u64,
    /// The score of a game.
    pub score: MeanStatistics,
    /// The number of moves of a game.
    pub moves: MeanStatistics,
    /// For every tile from 8 (or the target) up that the board can hold, how many games made it.
    pub reach: BTreeMap<u64, RateStatistics>,
    /// Moves a second, all threads together.
    pub moves_per_second: f64,
}

/// What one or more matches say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The game.
    pub rules: String,
    /// The tile that counts as success.
    pub target: u64,
    /// One entry an agent.
    pub agents: Vec<AgentReport>,
    /// The seed of all games.
    pub seed: u64,
    /// Threads that played.
    pub threads: usize,
}

/// The smallest rank whose reach is reported, unless the target is smaller.
const LOWEST_RANK: u8 = 3;

/// Columns of reach rates in the table.
const REACH_COLUMNS: usize = 5;

impl AgentReport {
    /// The statistics of a match.
    pub fn new(spec: &AgentSpec, rules: &Rules, result: &MatchResult) -> AgentReport {
        let outcomes = &result.outcomes;
        let of = |number: fn(&Outcome) -> u64| {
            MeanStatistics::of(outcomes.iter().map(|outcome| number(outcome) as f64))
        };
        let lowest = LOWEST_RANK.min(rules.target_rank());
        let reach = (lowest..=rules.largest_rank()).map(|rank| {
            let reached = outcomes
                .iter()
                .filter(|outcome| outcome.largest_rank >= rank)
                .count();
            let statistics = RateStatistics {
                rate: reached as f64 / outcomes.len().max(1) as f64,
                ci95: wilson_interval(reached as u64, outcomes.len() as u64),
            };
            (tile(rank), statistics)
        });
        AgentReport {
            agent: spec.to_string(),
            games: outcomes.len() as u64,
            score: of(|outcome| outcome.score),
            moves: of(|outcome| outcome.moves),
            reach: reach.collect(),
            moves_per_second: result.moves as f64 / result.seconds.max(1e-9),
        }
    }
}

impl Report {
    /// A report of a game, without agents yet.
    pub fn new(rules: &Rules, settings: Match) -> Report {
        Report {
            rules: rules.to_string(),
            target: tile(rules.target_rank()),
            agents: Vec::new(),
            seed: settings.seed,
            threads: settings.threads,
        }
    }

    /// A table for the terminal: an agent a row.
    pub fn table(&self) -> String {
        let tiles = self.tiles_of_interest();
        let mut table = Table::new();
        table.load_preset(presets::ASCII_MARKDOWN);
        let mut header: Vec<String> = ["agent", "games", "mean score", "median", "best", "moves"]
            .map(str::to_owned)
            .to_vec();
        header.extend(tiles.iter().map(|tile| format!("{tile} %")));
        header.push("moves/s".to_owned());
        table.set_header(header);
        for agent in &self.agents {
            let interval = agent.score.ci95.map_or(String::new(), |[low, high]| {
                format!(" ± {}", grouped((high - low) / 2.0))
            });
            let mut row = vec![
                agent.agent.clone(),
                grouped(agent.games as f64),
                grouped(agent.score.mean) + &interval,
                grouped(agent.score.median),
                grouped(agent.score.max),
                grouped(agent.moves.mean),
            ];
            row.extend(tiles.iter().map(|tile| {
                let rate = agent
                    .reach
                    .get(tile)
                    .map_or(0.0, |statistics| statistics.rate);
                format!("{:.1}", 100.0 * rate)
            }));
            row.push(grouped(agent.moves_per_second));
            table.add_row(row);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }

    /// The largest tiles that any agent made, and some below: where agents differ. The target is always among
    /// them.
    fn tiles_of_interest(&self) -> Vec<u64> {
        let reached = self.agents.iter().flat_map(|agent| &agent.reach);
        let reached = reached
            .filter(|(_, statistics)| statistics.rate > 0.0)
            .map(|(tile, _)| *tile);
        let largest = reached.max().unwrap_or(0).max(self.target);
        let all = self
            .agents
            .first()
            .into_iter()
            .flat_map(|agent| agent.reach.keys().copied());
        let up_to: Vec<u64> = all.filter(|&tile| tile <= largest).collect();
        let mut tiles = up_to[up_to.len().saturating_sub(REACH_COLUMNS)..].to_vec();
        if !tiles.contains(&self.target) {
            tiles.insert(0, self.target);
        }
        tiles
    }
}

/// A number rounded to a whole one, with commas between thousands.
fn grouped(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if number <= -0.5 {
        format!("-{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let outcome = |score, largest_rank| Outcome {
            score,
            moves: 100,
            largest_rank,
        };
        let result = MatchResult {
            outcomes: vec![
                outcome(1_000, 10),
                outcome(1_234_000, 12),
                outcome(3_000, 11),
                outcome(2_000, 9),
            ],
            seconds: 0.5,
            moves: 400,
        };
        let spec = "random".parse().expect("an agent");
        Report {
            rules: "4x4".to_owned(),
            target: 2048,
            agents: vec![AgentReport::new(&spec, &Rules::default(), &result)],
            seed: 1,
            threads: 2,
        }
    }

    #[test]
    fn tables_show_what_was_measured() {
        let lines: Vec<String> = report().table().lines().map(str::to_owned).collect();
        assert!(
            lines[0].contains("256 %") && lines[0].contains("4096 %") && !lines[0].contains("8192")
        );
        assert!(lines[2].starts_with("| random | "), "{}", lines[2]);
        for part in [
            "310,000 ± ",
            "| 2,500 |",
            "| 1,234,000 |",
            "| 100.0 |",
            "| 75.0 |",
            "| 50.0 |",
            "| 25.0 |",
            "| 800 |",
        ] {
            let squeezed = lines[2].split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(squeezed.contains(part), "{part} in {squeezed}");
        }
    }

    #[test]
    fn json_has_the_published_names() {
        let json = serde_json::to_value(report()).expect("plain data");
        let agent = &json["agents"][0];
        assert_eq!(agent["agent"], "random");
        assert_eq!(agent["games"], 4);
        assert_eq!(agent["score"]["mean"], 310_000.0);
        assert_eq!(agent["score"]["ci95"].as_array().map(Vec::len), Some(2));
        assert_eq!(agent["score"]["max"], 1_234_000.0);
        assert_eq!(agent["moves"]["mean"], 100.0);
        assert_eq!(agent["reach"]["2048"]["rate"], 0.5);
        assert_eq!(agent["reach"]["131072"]["rate"], 0.0);
        assert_eq!(agent["moves_per_second"], 800.0);
        assert_eq!((&json["seed"], &json["threads"]), (&1.into(), &2.into()));
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0.0, 999.4, 1_000.0, 1_234_567.8, -1_500.0, -0.2].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,568", "-1,500", "0"]);
    }
}
