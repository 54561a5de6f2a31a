//! Threads that play games and learn from them, all on one network.

use crate::carousel::Carousel;
use crate::lane::{Lane, Method};
use crate::metrics::Finished;
use crate::step_size::{GameStep, StepSize};
use engine::game_rng;
use network::{Indexed, NTuple};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How often the caller hears of nothing new.
const TICK: Duration = Duration::from_millis(100);

/// What all threads share: the network and how it learns.
pub(crate) struct Learner<G: Indexed> {
    pub(crate) network: Arc<NTuple<G>>,
    pub(crate) step_size: StepSize,
    /// What the games' spawns are drawn from.
    pub(crate) seed: u64,
    /// Games in total.
    pub(crate) games: u64,
    /// Games that a thread plays side by side.
    pub(crate) lanes: usize,
    pub(crate) method: Method,
    /// Positions of later stages to begin from, if games do.
    pub(crate) carousel: Option<Carousel<G>>,
}

/// What is under way: the games that are being played, and how many have been started.
pub(crate) struct Play<G: Indexed> {
    pub(crate) started: u64,
    pub(crate) lanes: VecDeque<Lane<G>>,
}

impl<G: Indexed> Learner<G> {
    /// The step size of a game.
    pub(crate) fn step_of(&self, number: u64) -> GameStep {
        self.step_size.at(number as f64 / self.games as f64)
    }

    /// Plays on with some threads, until all games are played, so many have ended, or `pause` is set; then every thread
    /// stops after its present move. Tells `each` of every finished game, and of `None` now and then.
    ///
    /// # Errors
    /// When the system refuses a thread; those that it granted have then stopped.
    pub(crate) fn play(
        &self,
        threads: usize,
        most: u64,
        play: &mut Play<G>,
        pause: &AtomicBool,
        mut each: impl FnMut(Option<Finished>),
    ) -> io::Result<()> {
        self.network.spread(self.step_size.sums(), threads);
        let started = AtomicU64::new(play.started);
        let waiting = Mutex::new(std::mem::take(&mut play.lanes));
        let stopped = Mutex::new(VecDeque::new());
        let pause = Pause {
            flag: pause,
            left: AtomicU64::new(most),
        };
        // Bounded, so that the news of tiny games do not pile up.
        let (finished, games) = sync_channel(1024);
        let spawned = thread::scope(|scope| {
            // Ours now: however this ends, threads that wait to send are set free.
            let games = games;
            let _stop = StopAtEnd(pause.flag);
            for thread in 0..threads {
                let finished = finished.clone();
                let (started, waiting, stopped) = (&started, &waiting, &stopped);
                let pause = &pause;
                thread::Builder::new().spawn_scoped(scope, move || {
                    let next = || {
                        let mut lane = self.next_lane(started, waiting)?;
                        lane.assign(&self.network, thread);
                        Some(lane)
                    };
                    let lanes = self.play_games(next, pause, &finished);
                    lock(stopped).extend(lanes);
                })?;
            }
            drop(finished);
            loop {
                match games.recv_timeout(TICK) {
                    Ok(game) => each(Some(game)),
                    Err(RecvTimeoutError::Timeout) => each(None),
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        });
        self.network.gather(self.step_size.sums(), threads);
        play.started = started.into_inner();
        // Those that a thread was at go on first; with fewer threads than games, some were not taken up yet.
        play.lanes = stopped.into_inner().unwrap_or_else(PoisonError::into_inner);
        play.lanes.append(&mut lock(&waiting));
        spawned
    }

    /// A game to go on with, or else a new one, while there are any.
    fn next_lane(
        &self,
        started: &AtomicU64,
        waiting: &Mutex<VecDeque<Lane<G>>>,
    ) -> Option<Lane<G>> {
        if let Some(lane) = lock(waiting).pop_front() {
            return Some(lane);
        }
        let number = started.fetch_update(Relaxed, Relaxed, |n| (n < self.games).then_some(n + 1));
        let number = number.ok()?;
        let rng = game_rng(self.seed, number);
        Some(Lane::start(
            &self.network,
            number,
            rng,
            self.step_of(number),
            self.method,
        ))
    }

    /// Has a lane whose game is over begin again from a later position, if that is to be.
    fn goes_on(&self, lane: &mut Lane<G>) -> bool {
        lane.restart(&self.network) || { self.carousel.as_ref() }
            .is_some_and(|carousel| lane.ride(&self.network, carousel))
    }

    /// Plays games side by side, a move of each in turn, until there is no other or it is told to pause; gives back those
    /// that are not over, the one whose turn it is first. While one game's look-ups are fetched, the others are at work.
    fn play_games(
        &self,
        next: impl Fn() -> Option<Lane<G>>,
        pause: &Pause<'_>,
        finished: &SyncSender<Finished>,
    ) -> Vec<Lane<G>> {
        let mut lanes: Vec<Lane<G>> = (0..self.lanes).map_while(|_| next()).collect();
        let mut turn = 0;
        while !lanes.is_empty() && !pause.flag.load(Relaxed) {
            if turn >= lanes.len() {
                turn = 0;
            }
            if let Some(game) =
                lanes[turn].step(&self.network, &self.step_size, self.carousel.as_ref())
            {
                if !game.restarted {
                    pause.count();
                }
                // The receiver only goes away when everything ends.
                let _ = finished.send(game);
                if !self.goes_on(&mut lanes[turn]) {
                    match next() {
                        Some(new) => lanes[turn] = new,
                        None => {
                            lanes.remove(turn);
                            continue;
                        }
                    }
                }
            }
            turn += 1;
        }
        let turn = turn.min(lanes.len());
        lanes.rotate_left(turn);
        lanes
    }
}

/// When threads are to stop after their present moves.
struct Pause<'a> {
    flag: &'a AtomicBool,
    /// Games that may still end before they do by themselves.
    left: AtomicU64,
}

impl Pause<'_> {
    /// A game has ended. On one thread, no other move follows the last one.
    fn count(&self) {
        if self.left.fetch_sub(1, Relaxed) == 1 {
            self.flag.store(true, Relaxed);
        }
    }
}

/// Sets a flag when it goes out of scope, by whatever way.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// Locks, even after a panic elsewhere: the lists are whole between two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
