//! Damaged files: always a clear error, never a panic, never more memory than the file is large.

use engine::{Classic, GameRng, game_rng};
use network::{ModelFile, Provenance};
use rand::Rng;
use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use trainer::{Run, TrainConfig, stored_config};

/// Remembers the largest single allocation.
struct Largest;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

/// The largest address space that the process ever had, in bytes: it also counts mapped tables.
#[cfg(target_os = "linux")]
fn peak_address_space() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmPeak:"))
        .expect("VmPeak");
    peak.trim()
        .trim_end_matches(" kB")
        .parse::<usize>()
        .expect("a number")
        * 1024
}

/// A copy of `bytes` that differs from it: bits flipped, a stretch overwritten, cut short, or something put in.
fn damaged(bytes: &[u8], rng: &mut GameRng) -> Vec<u8> {
    loop {
        let mut copy = bytes.to_vec();
        let mut below = |limit: usize| rng.next_u64() as usize % limit.max(1);
        // Half of the damage goes to the first kilobyte, where headers are.
        let reach = if below(2) == 0 {
            copy.len()
        } else {
            copy.len().min(1024)
        };
        let position = below(reach);
        match below(5) {
            0 => copy[position] ^= 1 << below(8),
            1 => {
                let end = copy.len().min(position + 1 + below(64));
                let byte = below(256) as u8;
                copy[position..end].fill(byte);
            }
            2 => copy.truncate(position),
            3 => {
                let junk = vec![below(256) as u8; 1 + below(64)];
                copy.splice(position..position, junk);
            }
            _ => {
                let end = copy.len().min(position + 8);
                for byte in &mut copy[position..end] {
                    *byte = below(256) as u8;
                }
            }
        }
        if copy != bytes {
            return copy;
        }
    }
}

#[test]
fn a_thousand_damaged_copies_of_a_model_and_of_a_checkpoint_are_refused() {
    let runs = tempfile::tempdir().expect("a folder");
    let folder = runs.path().join("run");
    let config = TrainConfig {
        games: 50,
        threads: Some(1),
        patterns: Some("0123 45a".to_owned()),
        ..TrainConfig::default()
    };
    let config = config.resolve().expect("a configuration");
    let mut run = Run::create(&folder, config, &Classic, Provenance::default()).expect("a run");
    // Stopped within a game, so that the checkpoint holds one.
    run.train(&AtomicBool::new(true), &mut |_| ())
        .expect("training");
    let saved = run.save_model().expect("saved");
    drop(run);

    let (model, checkpoint) = (saved.model, folder.join("checkpoint"));
    let mut rng = game_rng(1, 1);
    let refused = |path: &Path, bytes: &[u8], result: Result<(), String>| {
        let error = result.expect_err("damage is noticed");
        assert!(error.len() > 30 && !error.contains('\n'), "{error}");
        // What is read into memory is the file, in blocks of 256 KiB.
        let allowed = bytes.len().max(1 << 18) + 4096;
        assert!(
            LARGEST.load(Relaxed) <= allowed,
            "{} for {} ({error})",
            LARGEST.load(Relaxed),
            path.display()
        );
    };
    let sound = (
        fs::read(&model).expect("bytes"),
        fs::read(&checkpoint).expect("bytes"),
    );
    #[cfg(target_os = "linux")]
    let before = peak_address_space();
    for _ in 0..1_000 {
        let bytes = damaged(&sound.0, &mut rng);
        fs::write(&model, &bytes).expect("written");
        LARGEST.store(0, Relaxed);
        let loaded = ModelFile::open(&model).and_then(|file| file.load(&Classic));
        refused(
            &model,
            &bytes,
            loaded.map(|_| ()).map_err(|error| error.to_string()),
        );

        let bytes = damaged(&sound.1, &mut rng);
        fs::write(&checkpoint, &bytes).expect("written");
        LARGEST.store(0, Relaxed);
        let resumed = stored_config(&folder).and_then(|mut config| {
            config.games = 60;
            Run::resume(&folder, config, &Classic, Provenance::default())
        });
        refused(
            &checkpoint,
            &bytes,
            resumed.map(|_| ()).map_err(|error| error.to_string()),
        );
    }
    #[cfg(target_os = "linux")]
    assert!(
        peak_address_space() - before < 16 << 20,
        "{} more",
        peak_address_space() - before
    );

    fs::write(&checkpoint, &sound.1).expect("written");
    let mut config = stored_config(&folder).expect("sound again");
    config.games = 60;
    assert!(Run::resume(&folder, config, &Classic, Provenance::default()).is_ok());
}
