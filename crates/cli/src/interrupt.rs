//! Ctrl-C and SIGTERM as a flag that long work looks at.

use crate::progress::note;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A flag that is set by Ctrl-C and SIGTERM instead of ending the process. A second signal changes nothing:
/// what is being saved then must not be lost.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    let handler = ctrlc::set_handler(move || set.store(true, Relaxed));
    if let Err(error) = handler {
        note(&format!("warning: Ctrl-C will not save: {error}"));
    }
    flag
}
