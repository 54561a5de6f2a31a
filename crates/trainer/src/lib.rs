//! Learning afterstate values from self-play.
//!
//! A [`Run`] is a folder with everything about one training: configuration, metrics, TensorBoard events,
//! checkpoint and model. Its parts vary independently: what errors are measured against (TD(0) along a
//! [`lane`]), how far an error moves the weights ([`StepSizeRule`] and [`Schedule`]), and how many threads
//! play.

mod checkpoint;
mod config;
mod error;
mod folder;
mod lane;
mod metrics;
mod run;
mod schedule;
mod self_play;
mod step_size;
mod tensorboard;

pub use config::TrainConfig;
pub use error::TrainError;
pub use metrics::Metrics;
pub use run::{End, Progress, Run, Saved, Summary, stored_config};
pub use schedule::{Schedule, ScheduleError};
pub use step_size::StepSizeRule;
