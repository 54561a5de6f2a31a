//! Learning afterstate values from self-play.
//!
//! A [`Run`] is a folder with everything about one training: configuration, metrics, TensorBoard events,
//! checkpoint and model. Its parts vary independently: what values are moved towards and when ([`Target`], [`Updates`]), how far an error moves the weights ([`StepSizeRule`] and [`Schedule`]), and how many threads
//! play.

mod carousel;
mod checkpoint;
mod config;
mod curves;
mod error;
mod evaluations;
mod folder;
mod lane;
mod logs;
mod metrics;
mod progress;
mod run;
mod schedule;
mod self_play;
mod starts;
mod step_size;
mod targets;
mod tensorboard;

pub use checkpoint::stored_config;
pub use config::TrainConfig;
pub use curves::{Curves, curves};
pub use error::TrainError;
pub use evaluations::{EVALUATIONS, Evaluation};
pub use folder::{BEST, CHECKPOINT, CONFIG, METRICS, MODEL};
pub use metrics::{Metrics, lowest_reach_rank};
pub use progress::{End, Progress, Saved, Summary};
pub use run::Run;
pub use schedule::{Schedule, ScheduleError};
pub use starts::Starts;
pub use step_size::StepSizeRule;
pub use targets::{Target, Updates};
