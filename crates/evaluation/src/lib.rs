//! Playing and measuring: agents of every kind, and matches of many seeded games.
//!
//! Agents are named by one language everywhere, [`AgentSpec`]: `random`, `greedy:value=V`. A [`Registry`]
//! makes them; what a value `V` is, whoever sets up the registry decides, so this crate knows nothing of
//! networks and files.

mod agents;
mod bench;
mod evaluators;
mod figures;
mod matches;
mod record;
mod registry;
mod report;
mod search;
mod spec;
mod statistics;

pub use agents::{Downgraded, ExpectimaxAgent, GreedyAgent, Order, PriorityAgent, RandomAgent};
pub use bench::{BenchReport, bench, positions};
pub use evaluators::{Heuristic, RowTable, Weights, WeightsError, Zero};
pub use figures::{Curve, CurvePoint, EvaluationPoint, Figure, FigureError, Horizontal, ScoreAxis};
pub use matches::{
    GameResult, Match, MatchError, MatchResult, Observer, Played, Unobserved, Work, match_game,
};
pub use record::{
    RECORD_MAGIC, Record, RecordError, RecordFault, RecordHeader, RecordReader, RecordWriter,
    Recorded, Replay, Step,
};
pub use registry::{AgentMaker, AnyValue, Files, Registry, check_spec, takes_value, value_file};
pub use report::{AgentReport, Comparison, Report, SearchReport, bench_table};
pub use search::{DepthRule, Expectimax, Goal, SearchError, SearchSettings};
pub use spec::{AgentSpec, SpecError};
pub use statistics::{
    Interval, MeanStatistics, Quantiles, RateStatistics, mean_interval, probability_greater,
    welch_interval, wilson_interval,
};
