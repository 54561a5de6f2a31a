//! Ctrl-C and SIGTERM as a flag that long work looks at.

use crate::progress::note;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// A flag that is set by Ctrl-C and SIGTERM instead of ending the process. A second signal changes nothing:
/// what is being saved then must not be lost. SIGHUP keeps its meaning, so `nohup` works.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        if let Err(error) = signal_hook::flag::register(signal, flag.clone()) {
            note(&format!(
                "warning: stopping the program will not save: {error}"
            ));
        }
    }
    flag
}

/// Waits for some time, or until the flag is set.
pub(crate) fn sleep(time: Duration, interrupted: &AtomicBool) {
    let begun = Instant::now();
    while !interrupted.load(Relaxed) {
        let left = time.saturating_sub(begun.elapsed());
        if left.is_zero() {
            break;
        }
        std::thread::sleep(left.min(Duration::from_millis(50)));
    }
}
