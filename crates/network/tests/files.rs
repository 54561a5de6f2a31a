//! Models on disk.

use engine::{Classic, Game, Rules, ValueFunction, Variant, game_rng};
use network::{CoherenceSums, FileError, Indexed, ModelFile, NTuple, Provenance, Structure, save};
use rand::Rng;
use std::fs;
use std::path::Path;

/// A network with some random weights, and sums that went with them.
fn trained<G: Indexed>(game: &G, patterns: &str) -> (NTuple<G>, CoherenceSums) {
    trained_in(game, patterns, "none")
}

/// The same with stages.
fn trained_in<G: Indexed>(game: &G, patterns: &str, stages: &str) -> (NTuple<G>, CoherenceSums) {
    let structure = Structure::parse(patterns, game.rules().geometry()).expect(patterns);
    let stages = stages.parse().expect(stages);
    let network = NTuple::staged(game, structure, stages).expect(patterns);
    let sums = network.coherence_sums().expect("small");
    let mut traces = network.traces(1);
    for (number, afterstate) in positions(game, 500).into_iter().enumerate() {
        network.locate(&[afterstate], &mut traces);
        network.read_to_update(traces.row(0));
        network.update_coherently(traces.row(0), &sums, 1.0, number as f32 - 100.5);
    }
    (network, sums)
}

fn positions<G: Game>(game: &G, count: usize) -> Vec<G::Afterstate> {
    let mut rng = game_rng(4, 0);
    let cells = game.rules().geometry().cells();
    let largest = u64::from(game.rules().largest_rank());
    let mut position = || {
        let ranks: Vec<u8> = (0..cells)
            .map(|_| (rng.next_u64() % largest) as u8)
            .collect();
        game.awaiting_spawn(game.board_of_ranks(&ranks))
    };
    (0..count).map(|_| position()).collect()
}

fn values<G: Indexed>(network: &NTuple<G>) -> Vec<f32> {
    let positions = positions(network.game(), 500);
    positions
        .into_iter()
        .map(|position| network.value(position))
        .collect()
}

fn provenance() -> Provenance {
    Provenance {
        command: "afterstate train".to_owned(),
        games: 7,
        ..Provenance::default()
    }
}

/// Saves a network without anything of its training; returns the checksum.
fn save_model<G: Indexed>(path: &Path, network: &NTuple<G>) -> u64 {
    save(
        path,
        network,
        network.game().rules(),
        provenance(),
        None,
        &[],
    )
    .expect("written")
}

#[test]
fn models_and_checkpoints_come_back_bit_for_bit() {
    fn check<G: Indexed>(game: &G, patterns: &str, stages: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let (model, checkpoint) = (
            folder.path().join("model"),
            folder.path().join("checkpoint"),
        );
        let (network, sums) = trained_in(game, patterns, stages);
        let hash = save_model(&model, &network);
        save(
            &checkpoint,
            &network,
            network.game().rules(),
            provenance(),
            Some(&sums),
            &[1, 2, 3],
        )
        .expect("written");
        assert_eq!(
            fs::read_dir(folder.path()).expect("a folder").count(),
            2,
            "nothing else is left"
        );

        let file = ModelFile::open(&model).expect("our own");
        assert_eq!(file.header().provenance, provenance());
        assert!(!file.is_checkpoint());
        let (read, read_hash) = file.load(game).expect("our own");
        assert_eq!((values(&read), read_hash), (values(&network), hash));
        assert_eq!(read.structure(), network.structure());
        assert_eq!(read.stages(), network.stages());

        let file = ModelFile::open(&checkpoint).expect("our own");
        assert!(file.is_checkpoint());
        let (played, _) = file.load(game).expect("playable");
        assert_eq!(values(&played), values(&network));
        let file = ModelFile::open(&checkpoint).expect("our own");
        let (read, read_sums) = file.load_for_training(game).expect("our own");
        let again = folder.path().join("again");
        save(
            &again,
            &read,
            read.game().rules(),
            provenance(),
            read_sums.as_ref(),
            &[1, 2, 3],
        )
        .expect("written");
        assert_eq!(
            fs::read(&again).expect("bytes"),
            fs::read(&checkpoint).expect("bytes")
        );
    }
    check(&Classic, "0123 4567 48 cdef5 asymmetric", "none");
    check(&Classic, "5x4", "none");
    check(&Classic, "5x4", "256,8192,256+128");
    check(
        &Variant::new(Rules::sized(2, 3)).expect("playable"),
        "012 34",
        "16",
    );
}

/// Files are in natural order whatever the order in memory: what one kernel wrote, the other reads.
#[test]
fn the_order_in_files_is_that_of_the_plain_kernel() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    let (network, _) = trained(&Classic, "0123 45670 fa7");
    save_model(&path, &network);
    let plain = Variant::new(Rules::default()).expect("playable");
    let (read, _) = ModelFile::open(&path)
        .and_then(|file| file.load(&plain))
        .expect("our own");
    for (ours, theirs) in values(&network).into_iter().zip(values(&read)) {
        assert!(
            (ours - theirs).abs() <= 1e-4 * ours.abs().max(1.0),
            "{ours} {theirs}"
        );
    }
    // The first pattern's table comes first, its first cell is the lowest digit.
    let ranks = [3, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let structure =
        Structure::parse("0123 asymmetric", Classic.rules().geometry()).expect("a pattern");
    let single = NTuple::new(&Classic, structure).expect("small");
    let mut traces = single.traces(1);
    single.evaluate(
        Classic.awaiting_spawn(Classic.board_of_ranks(&ranks)),
        &mut traces,
    );
    single.update(traces.row(0), 42.0);
    save_model(&path, &single);
    let bytes = fs::read(&path).expect("bytes");
    let weight = bytes.len() - 8 - 4 * 65_536 + 4 * (3 + 2 * 256 + 4096);
    assert_eq!(bytes[weight..weight + 4], 42.0_f32.to_le_bytes());
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    let (network, _) = trained(&Classic, "012 34");
    save_model(&path, &network);
    let sound = fs::read(&path).expect("bytes");
    let load = |path: &Path| match ModelFile::open(path).and_then(|file| file.load(&Classic)) {
        Ok(_) => "sound".to_owned(),
        Err(error) => error.to_string(),
    };
    let with = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("written");
        load(&path)
    };
    let changed = |position: usize, byte: u8| {
        let mut bytes = sound.clone();
        bytes[position] = byte;
        bytes
    };
    assert_eq!(with(&sound), "sound");
    assert!(load(&folder.path().join("missing")).contains("cannot read"));
    assert!(load(folder.path()).contains("is a folder without one"));
    assert!(with(b"").contains("does not begin with 'AFTERST8'"));
    assert!(with(b"a text file of some other kind").contains("does not begin with 'AFTERST8'"));
    assert!(with(&changed(8, 9)).contains("format version 9"));
    assert!(with(&sound[..sound.len() - 1]).contains("cut short or is damaged"));
    assert!(with(&sound[..20]).contains("cut short or is damaged"));
    assert!(with(&[&sound[..], b"x"].concat()).contains("cut short or is damaged"));
    assert!(with(&changed(15, 255)).contains("damaged header"));
    assert!(with(&changed(sound.len() / 2, sound[sound.len() / 2] ^ 1)).contains("checksum"));

    let small = Variant::new(Rules::sized(3, 3)).expect("playable");
    fs::write(&path, &sound).expect("written");
    let other = ModelFile::open(&path)
        .and_then(|file| file.load(&small))
        .err();
    assert!(other.is_some_and(|error| {
        error
            .to_string()
            .contains("for 4x4 boards, the game is on 3x3")
    }));

    let nowhere = folder.path().join("missing").join("model");
    let error = save(
        &nowhere,
        &network,
        network.game().rules(),
        provenance(),
        None,
        &[],
    )
    .expect_err("no folder");
    assert!(matches!(error, FileError::Write { .. }), "{error}");
}

/// Damage is noticed before anything is decoded; but even of a header that was made up, no length is believed.
#[test]
fn made_up_lengths_are_not_believed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model");
    let (network, _) = trained(&Classic, "012 34");
    save_model(&path, &network);
    let sound = fs::read(&path).expect("bytes");
    let header = u32::from_le_bytes([sound[12], sound[13], sound[14], sound[15]]) as usize;
    let mut refused = 0;
    for position in 20..20 + header {
        // bincode's marks of a length in two, four and eight bytes.
        for mark in [251, 252, 253] {
            let mut bytes = sound.clone();
            bytes[position] = mark;
            let end = (position + 9).min(20 + header);
            bytes[position + 1..end].fill(0xff);
            let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[..20 + header]);
            bytes[20 + header..28 + header].copy_from_slice(&checksum.to_le_bytes());
            fs::write(&path, bytes).expect("written");
            refused += u32::from(ModelFile::open(&path).is_err());
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn patterns_beyond_all_memory_are_refused() {
    let structure = Structure::parse("01234567", Classic.rules().geometry()).expect("patterns");
    let error = NTuple::new(&Classic, structure)
        .err()
        .map(|error| error.to_string());
    assert!(error.is_some_and(|text| text.contains("4294967296 weights")));
    let structure =
        Structure::parse("0123456789abcdef", Classic.rules().geometry()).expect("patterns");
    assert!(NTuple::new(&Classic, structure).is_err());
}
