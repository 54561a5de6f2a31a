use crate::statistics::{
    Interval, MeanStatistics, RateStatistics, probability_greater, welch_interval, wilson_interval,
};
use crate::{AgentSpec, BenchReport, GameResult, Match, MatchResult, Work};
use comfy_table::{CellAlignment, Table, presets};
use engine::{Outcome, Rules, tile};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a match says about an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Of the games that made the target tile, the moves until then; `None` if there is no such game.
    pub moves_to_target: Option<MeanStatistics>,
    /// For every largest tile that games ended with, the share of games.
    pub end_tiles: BTreeMap<u64, f64>,
    /// Moves a second, all threads together.
    pub moves_per_second: f64,
    /// What a decision took.
    pub search: SearchReport,
    /// The games themselves.
    #[serde(skip)]
    pub results: Vec<GameResult>,
}

/// How two agents compare. Their games are independent, even on the same seeds: with the first different move their spawns
/// part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// One agent's spec.
    pub a: String,
    /// The other's.
    pub b: String,
    /// The mean score of a less that of b.
    pub mean_difference: f64,
    /// Its confidence interval by Welch; `None` of fewer than two games.
    pub ci95: Option<Interval>,
    /// The probability that a game of a scores more than one of b, ties counting half.
    pub p_a_beats_b: f64,
}

/// What a decision took, on average.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchReport {
    /// Moves looked ahead.
    pub depth: f64,
    /// Positions visited.
    pub nodes: f64,
    /// Afterstates valued.
    pub leaves: f64,
    /// Values found in a transposition table.
    pub table_hits: f64,
}

impl SearchReport {
    /// The means of what decisions took.
    pub fn new(work: &Work) -> SearchReport {
        let mean = |sum: u64| sum as f64 / work.decisions.max(1) as f64;
        SearchReport {
            depth: mean(work.depths),
            nodes: mean(work.effort.nodes),
            leaves: mean(work.effort.leaves),
            table_hits: mean(work.effort.table_hits),
        }
    }
}

/// What one or more matches say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The game.
    pub rules: String,
    /// The tile that counts as success.
    pub target: u64,
    /// One entry an agent.
    pub agents: Vec<AgentReport>,
    /// One entry for every two agents.
    pub comparisons: Vec<Comparison>,
    /// The seed of all games.
    pub seed: u64,
    /// The number of the first game.
    pub first_game: u64,
    /// Threads that played.
    pub threads: usize,
}

/// The smallest rank whose reach is reported, unless the target is smaller.
const LOWEST_RANK: u8 = 3;

/// Reach rates in the table.
const TABLE_TILES: usize = 6;

impl AgentReport {
    /// The statistics of a match.
    pub fn new(spec: &AgentSpec, rules: &Rules, result: MatchResult) -> AgentReport {
        let outcomes: Vec<Outcome> = result.games.iter().map(|game| game.outcome).collect();
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
        let to_target = result.games.iter().filter_map(|game| game.moves_to_target);
        let to_target: Vec<f64> = to_target.map(|moves| moves as f64).collect();
        let mut end_tiles = BTreeMap::new();
        for outcome in &outcomes {
            *end_tiles.entry(tile(outcome.largest_rank)).or_default() +=
                1.0 / outcomes.len() as f64;
        }
        AgentReport {
            agent: spec.to_string(),
            games: outcomes.len() as u64,
            score: of(|outcome| outcome.score),
            moves: of(|outcome| outcome.moves),
            reach: reach.collect(),
            moves_to_target: (!to_target.is_empty()).then(|| MeanStatistics::of(to_target)),
            end_tiles,
            results: result.games,
            moves_per_second: result.moves as f64 / result.seconds.max(1e-9),
            search: SearchReport::new(&result.work),
        }
    }

    /// The mean score with half its confidence interval, for people.
    pub fn mean_score(&self) -> String {
        let interval = self.score.ci95.map_or(String::new(), |[low, high]| {
            format!(" ± {}", grouped((high - low) / 2.0))
        });
        grouped(self.score.mean) + &interval
    }
}

impl Report {
    /// A report of a game, without agents yet.
    pub fn new(rules: &Rules, settings: Match) -> Report {
        Report {
            rules: rules.to_string(),
            target: tile(rules.target_rank()),
            agents: Vec::new(),
            comparisons: Vec::new(),
            seed: settings.seed,
            first_game: settings.first,
            threads: settings.threads,
        }
    }

    /// Adds an agent, and compares it with those before.
    pub fn add(&mut self, agent: AgentReport) {
        let scores = |agent: &AgentReport| -> Vec<f64> {
            let games = agent.results.iter();
            games.map(|game| game.outcome.score as f64).collect()
        };
        let of_b = scores(&agent);
        for earlier in &self.agents {
            let of_a = scores(earlier);
            self.comparisons.push(Comparison {
                a: earlier.agent.clone(),
                b: agent.agent.clone(),
                mean_difference: earlier.score.mean - agent.score.mean,
                ci95: welch_interval(&of_a, &of_b),
                p_a_beats_b: probability_greater(&of_a, &of_b).unwrap_or(0.5),
            });
        }
        self.agents.push(agent);
    }

    /// How the first agent compares with each other, a line each for the terminal.
    pub fn comparison_lines(&self) -> Vec<String> {
        let first = self.agents.first().map(|agent| &agent.agent);
        let of_first = self
            .comparisons
            .iter()
            .filter(|pair| Some(&pair.a) == first);
        let line = |pair: &Comparison| {
            let interval = pair.ci95.map_or(String::new(), |[low, high]| {
                format!(" ({} to {})", grouped(low), grouped(high))
            });
            format!(
                "{} against {}: mean score {}{}{interval}, ahead in {:.1} % of all pairs of games",
                pair.a,
                pair.b,
                if pair.mean_difference < 0.0 { "" } else { "+" },
                grouped(pair.mean_difference),
                100.0 * pair.p_a_beats_b
            )
        };
        of_first.map(line).collect()
    }

    /// A table for the terminal: an agent a column.
    pub fn table(&self) -> String {
        let names = self.agents.iter().map(|agent| agent.agent.clone());
        let mut table = Columns::new(names, &self.agents);
        table.row("games", |agent| grouped(agent.games as f64));
        table.row("mean score", AgentReport::mean_score);
        table.row("median", |agent| grouped(agent.score.median));
        table.row("best", |agent| grouped(agent.score.max));
        table.row("moves", |agent| grouped(agent.moves.mean));
        for tile in self.tiles_of_interest() {
            table.row(&format!("reach {tile}"), |agent| {
                let statistics = agent.reach.get(&tile);
                let rate = statistics.map_or(0.0, |statistics| statistics.rate);
                format!("{:.1} %", 100.0 * rate)
            });
        }
        if self
            .agents
            .iter()
            .any(|agent| agent.moves_to_target.is_some())
        {
            table.row(&format!("moves to {}", self.target), |agent| {
                let moves = agent.moves_to_target.as_ref();
                moves.map_or("-".to_owned(), |moves| grouped(moves.mean))
            });
        }
        table.row("moves/s", |agent| grouped(agent.moves_per_second));
        table.row("depth", |agent| depth(agent.search.depth));
        table.row("nodes/move", |agent| grouped(agent.search.nodes));
        table.finish()
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
        let mut tiles = up_to[up_to.len().saturating_sub(TABLE_TILES)..].to_vec();
        if !tiles.contains(&self.target) {
            tiles.insert(0, self.target);
        }
        tiles
    }
}

/// A table of agents' speeds for the terminal: an agent a column.
pub fn bench_table(reports: &[BenchReport]) -> String {
    let names = reports.iter().map(|report| report.agent.clone());
    let mut table = Columns::new(names, reports);
    table.row("positions", |report| grouped(report.positions as f64));
    table.row("nodes", |report| report.nodes.to_string());
    table.row("depth", |report| depth(report.search.depth));
    table.row("leaves/move", |report| grouped(report.search.leaves));
    table.row("table hits/move", |report| {
        grouped(report.search.table_hits)
    });
    table.row("moves/s", |report| grouped(report.moves_per_second));
    table.row("leaves/s", |report| grouped(report.leaves_per_second));
    table.finish()
}

/// Things side by side in a table; more are below each other.
const MOST_COLUMNS: usize = 4;

/// A table with a column for each of some things, or a row where there are many.
struct Columns<'a, T> {
    things: &'a [T],
    /// The names of the things, then what is said of them, each beginning with what it is.
    lines: Vec<Vec<String>>,
}

impl<'a, T> Columns<'a, T> {
    fn new(names: impl Iterator<Item = String>, things: &'a [T]) -> Self {
        let names = std::iter::once(String::new()).chain(names).collect();
        Columns {
            things,
            lines: vec![names],
        }
    }

    fn row(&mut self, name: &str, value: impl Fn(&T) -> String) {
        let values = self.things.iter().map(value);
        self.lines
            .push(std::iter::once(name.to_owned()).chain(values).collect());
    }

    fn finish(self) -> String {
        let mut lines = self.lines;
        if self.things.len() > MOST_COLUMNS {
            let column = |place: usize| lines.iter().map(|line| line[place].clone()).collect();
            lines = (0..=self.things.len()).map(column).collect();
        }
        let mut lines = lines.into_iter();
        let mut table = Table::new();
        table.load_preset(presets::ASCII_MARKDOWN);
        table.set_header(lines.next().unwrap_or_default());
        table.add_rows(lines);
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table.to_string()
    }
}

/// A mean depth, whole where it is.
fn depth(depth: f64) -> String {
    match depth.fract() == 0.0 {
        true => format!("{depth}"),
        false => format!("{depth:.1}"),
    }
}

/// A number rounded to a whole one, with commas between thousands.
pub(crate) fn grouped(number: f64) -> String {
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
    use engine::Effort;

    fn report() -> Report {
        let outcome = |score, largest_rank| GameResult {
            number: 0,
            outcome: Outcome {
                score,
                moves: 100,
                largest_rank,
            },
            moves_to_target: (largest_rank >= 11).then_some(largest_rank.into()),
            seconds: 0.1,
        };
        let result = MatchResult {
            games: vec![
                outcome(1_000, 10),
                outcome(1_234_000, 12),
                outcome(3_000, 11),
                outcome(2_000, 9),
            ],
            seconds: 0.5,
            moves: 400,
            work: Work {
                decisions: 400,
                depths: 1_000,
                effort: Effort {
                    depth: 3,
                    nodes: 480_000,
                    leaves: 200_000,
                    table_hits: 100,
                },
            },
        };
        let spec = "random".parse().expect("an agent");
        Report {
            rules: "4x4".to_owned(),
            target: 2048,
            agents: vec![AgentReport::new(&spec, &Rules::default(), result)],
            comparisons: Vec::new(),
            seed: 1,
            first_game: 0,
            threads: 2,
        }
    }

    #[test]
    fn tables_show_what_was_measured() {
        let table = report().table();
        let lines = table
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        let lines: Vec<String> = lines.collect();
        assert_eq!(lines[0], "| | random |");
        for line in [
            "| games | 4 |",
            "| median | 2,500 |",
            "| best | 1,234,000 |",
            "| moves | 100 |",
            "| reach 128 | 100.0 % |",
            "| reach 1024 | 75.0 % |",
            "| reach 2048 | 50.0 % |",
            "| reach 4096 | 25.0 % |",
            "| moves to 2048 | 12 |",
            "| moves/s | 800 |",
            "| depth | 2.5 |",
            "| nodes/move | 1,200 |",
        ] {
            assert!(lines.contains(&line.to_owned()), "{line} in {table}");
        }
        assert!(
            lines[3].starts_with("| mean score | 310,000 ± "),
            "{}",
            lines[3]
        );
        assert!(!table.contains("reach 64 ") && !table.contains("reach 8192"));
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
        assert_eq!(agent["moves_to_target"]["mean"], 11.5);
        assert_eq!(
            agent["end_tiles"],
            serde_json::json!({"512": 0.25, "1024": 0.25, "2048": 0.25, "4096": 0.25})
        );
        assert_eq!(agent["score"]["quantiles"]["0.25"], 1_750.0);
        let search =
            serde_json::json!({"depth": 2.5, "nodes": 1200.0, "leaves": 500.0, "table_hits": 0.25});
        assert_eq!(agent["search"], search);
        assert_eq!((&json["seed"], &json["threads"]), (&1.into(), &2.into()));
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let texts = [0.0, 999.4, 1_000.0, 1_234_567.8, -1_500.0, -0.2].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,568", "-1,500", "0"]);
    }
}
