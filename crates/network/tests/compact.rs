//! Compact models and averages of models.

use engine::{Classic, Game, GameRng, Rules, ValueFunction, game_rng};
use network::{ModelFile, NTuple, Provenance, Structure, save, save_compact};
use rand::Rng;
use std::fs;
use std::path::Path;

const STEP: f32 = 16.0;

fn afterstate(rng: &mut GameRng) -> <Classic as Game>::Afterstate {
    let ranks: Vec<u8> = (0..16).map(|_| (rng.next_u64() % 7) as u8).collect();
    Classic.awaiting_spawn(Classic.board_of_ranks(&ranks))
}

/// A network in two stages that has learned something, the same for the same seed.
fn trained(seed: u64) -> NTuple<Classic> {
    let structure = Structure::parse("0123 4567 0145", Classic.rules().geometry());
    let stages = "64".parse().expect("a tile");
    let network = NTuple::staged(&Classic, structure.expect("patterns"), stages);
    let mut network = network.expect("small");
    network.fill(1_000.0);
    let mut rng = game_rng(seed, 0);
    let mut traces = network.traces(1);
    for number in 0..2_000 {
        network.locate(&[afterstate(&mut rng)], &mut traces);
        network.read_to_update(traces.row(0));
        // Some changes are too large for a byte of steps, and some too small for one.
        let change = if number % 10 == 0 {
            200_000.0
        } else {
            (number % 100) as f32 - 60.0
        };
        network.update(traces.row(0), change);
    }
    network
}

fn values(network: &NTuple<Classic>) -> Vec<f32> {
    let mut rng = game_rng(77, 0);
    (0..500)
        .map(|_| network.value(afterstate(&mut rng)))
        .collect()
}

fn write_compact(path: &Path, network: &NTuple<Classic>) -> u64 {
    let rules = Rules::default();
    save_compact(path, network, &rules, Provenance::default(), STEP).expect("written")
}

fn read(path: &Path) -> (NTuple<Classic>, u64) {
    ModelFile::open(path)
        .and_then(|file| file.load(&Classic))
        .expect("our own")
}

#[test]
fn compact_models_are_small_and_near() {
    let folder = tempfile::tempdir().expect("a folder");
    let [plain, compact, again] =
        ["plain", "compact", "again"].map(|name| folder.path().join(name));
    let network = trained(1);
    save(
        &plain,
        &network,
        &Rules::default(),
        Provenance::default(),
        None,
        &[],
    )
    .expect("written");
    let hash = write_compact(&compact, &network);
    let size = |path: &Path| path.metadata().expect("a file").len();
    assert!(
        size(&compact) * 10 < size(&plain),
        "{} {}",
        size(&compact),
        size(&plain)
    );

    let (unpacked, read_hash) = read(&compact);
    assert_eq!(read_hash, hash);
    // 24 features, each within half a step.
    for (exact, near) in values(&network).into_iter().zip(values(&unpacked)) {
        assert!(
            (exact - near).abs() <= 12.0 * STEP + 0.01 * exact.abs(),
            "{exact} {near}"
        );
    }
    // What is rounded already stays as it is.
    assert_eq!(write_compact(&again, &unpacked), hash);
    assert_eq!(values(&read(&again).0), values(&unpacked));
}

#[test]
fn damaged_compact_models_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    write_compact(&path, &trained(1));
    let sound = fs::read(&path).expect("bytes");
    let error = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        let loaded = ModelFile::open(&path).and_then(|file| file.load(&Classic));
        loaded.err().expect("an error").to_string()
    };
    let mut rng = game_rng(5, 0);
    for _ in 0..200 {
        let position = rng.next_u64() as usize % sound.len();
        let mut damaged = sound.clone();
        damaged[position] ^= 1 << (rng.next_u64() % 8);
        error(&damaged);
        error(&sound[..position]);
    }
    assert!(error(&[&sound[..], b"x"].concat()).contains("bytes where its header asks for"));
    let mut damaged = sound.clone();
    let middle = sound.len() / 2;
    damaged[middle] ^= 1;
    assert!(error(&damaged).contains("damaged"));
}

#[test]
fn weights_that_cannot_be_rounded_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    let network = trained(1);
    let mut traces = network.traces(1);
    network.locate(&[afterstate(&mut game_rng(77, 0))], &mut traces);
    network.update(traces.row(0), f32::INFINITY);
    let saved = save_compact(
        &path,
        &network,
        &Rules::default(),
        Provenance::default(),
        STEP,
    );
    let error = saved.expect_err("an error").to_string();
    assert!(error.contains("a weight is inf"), "{error}");
    assert!(!path.exists());
}

#[test]
fn the_mean_of_networks_values_as_they_do_on_average() {
    let mut mean = trained(1);
    let all = [trained(1), trained(2), trained(3)];
    assert!(mean.blend(&all[1], 1.0 / 2.0) && mean.blend(&all[2], 1.0 / 3.0));
    let [a, b, c] = all.each_ref().map(values);
    for (nth, value) in values(&mean).into_iter().enumerate() {
        let expected = (a[nth] + b[nth] + c[nth]) / 3.0;
        assert!(
            (value - expected).abs() <= 1e-3 * expected.abs().max(100.0),
            "{value} {expected}"
        );
    }
    let structure = Structure::parse("0123", Classic.rules().geometry()).expect("a pattern");
    let other = NTuple::new(&Classic, structure).expect("small");
    let before = values(&mean);
    assert!(!mean.blend(&other, 0.5));
    assert_eq!(values(&mean), before);
}
