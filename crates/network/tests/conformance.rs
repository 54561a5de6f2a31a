//! What every learning value function must do, checked on each of them.

use engine::{Cells, Classic, Game, GameRng, Rules, ValueFunction, Variant, game_rng};
use network::{Indexed, NTuple, Structure};
use rand::Rng;
use std::collections::HashMap;

/// A position with tiles everywhere, few or many equal.
fn random_position<G: Game>(game: &G, rng: &mut GameRng) -> Vec<u8> {
    let span = 1 + rng.next_u64() % u64::from(game.rules().largest_rank() - 1);
    let cells = game.rules().geometry().cells();
    (0..cells)
        .map(|_| (rng.next_u64() % (span + 1)) as u8)
        .collect()
}

fn afterstate_of<G: Game>(game: &G, ranks: &[u8]) -> G::Afterstate {
    game.awaiting_spawn(game.board_of_ranks(ranks))
}

/// The sum over distinct weights of their squared number of look-ups, divided by the look-ups. Two look-ups of
/// one pattern are of one weight if they see the same ranks in the same order.
fn repetition(structure: &Structure, radix: u32, afterstate: impl Cells) -> f64 {
    let mut counts = HashMap::new();
    for (table, cells) in structure.patterns().iter().enumerate() {
        for view in structure.views() {
            let ranks = cells
                .iter()
                .map(|&cell| afterstate.rank(view[usize::from(cell)]));
            let content: Vec<u32> = ranks.map(|rank| u32::from(rank).min(radix - 1)).collect();
            *counts.entry((table, content)).or_insert(0.0_f64) += 1.0;
        }
    }
    counts.values().map(|k| k * k).sum::<f64>() / structure.features() as f64
}

/// Returns how many positions had distinct indices, and how many had not.
fn check<G: Indexed>(game: &G, patterns: &str) -> (u32, u32) {
    let structure = Structure::parse(patterns, game.rules().geometry()).expect(patterns);
    let network = NTuple::new(game, structure.clone()).expect(patterns);
    let symmetries = game.rules().geometry().symmetries();
    let mut rng = game_rng(11, 0);
    let mut traces = network.traces(1);
    let (mut distinct, mut repeated) = (0, 0);
    for number in 0..300 {
        let ranks = random_position(game, &mut rng);
        let afterstate = afterstate_of(game, &ranks);
        let before = f64::from(network.evaluate(afterstate, &mut traces));
        let change = f64::from(number % 7 - 3) * 10.0 + 1.0;
        network.update(traces.row(0), change as f32);
        let moved = f64::from(network.read(traces.row(0))) - before;
        let factor = repetition(&structure, network.radix(), afterstate);
        *(if factor == 1.0 {
            &mut distinct
        } else {
            &mut repeated
        }) += 1;
        assert!(
            (moved - change * factor).abs() < 1e-3 * (1.0 + before.abs() + change.abs()),
            "{patterns} at {ranks:?}: moved by {moved}, not {change} x {factor}"
        );

        let value = network.value(afterstate);
        assert_eq!(value, network.read(traces.row(0)));
        let images: Vec<G::Afterstate> = symmetries
            .iter()
            .map(|view| afterstate_of(game, &view.iter().map(|&c| ranks[c]).collect::<Vec<_>>()))
            .collect();
        let mut values = vec![0.0; images.len()];
        network.values(&images, &mut values);
        if network.symmetric() {
            for image in values {
                // The same weights in another order.
                assert!(
                    (image - value).abs() <= 1e-4 * value.abs().max(1.0),
                    "{image} and {value}"
                );
            }
        }
    }
    (distinct, repeated)
}

#[test]
fn updates_move_values_by_what_they_say_on_4x4() {
    let counts = [
        "5x4",
        "4x5",
        "17x4",
        "0",
        "fb731 40",
        "0123 4567 0145 1256 569a asymmetric",
    ]
    .map(|patterns| check(&Classic, patterns));
    assert!(counts.iter().any(|(distinct, _)| *distinct > 0));
    assert!(counts.iter().any(|(_, repeated)| *repeated > 0));
}

#[test]
fn updates_move_values_by_what_they_say_on_other_boards() {
    for (rules, patterns) in [
        (Rules::sized(3, 3), "012345 0134"),
        (Rules::sized(2, 3), "0134 25"),
        (Rules::sized(5, 5), "0156 ko"),
        (Rules::sized(4, 4), "0123 4567 0145"),
    ] {
        check(&Variant::new(rules).expect("playable"), patterns);
    }
}

#[test]
fn an_asymmetric_network_can_tell_images_apart() {
    let structure = Structure::parse("17x4", Classic.rules().geometry()).expect("a name");
    let network = NTuple::new(&Classic, structure).expect("small");
    assert!(!ValueFunction::<Classic>::symmetric(&network));
    let corner = |cell: usize| {
        let mut ranks = [0; 16];
        ranks[cell] = 5;
        afterstate_of(&Classic, &ranks)
    };
    let mut traces = network.traces(1);
    network.evaluate(corner(0), &mut traces);
    network.update(traces.row(0), 17.0);
    assert_ne!(network.value(corner(0)), network.value(corner(15)));
}

#[test]
fn temporal_coherence_slows_down_where_errors_cancel() {
    let structure = Structure::parse("0123", Classic.rules().geometry()).expect("a pattern");
    let network = NTuple::new(&Classic, structure).expect("small");
    let sums = network.coherence_sums().expect("small");
    let afterstate = afterstate_of(
        &Classic,
        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0],
    );
    let mut traces = network.traces(1);
    // Eight distinct weights. Errors 8, 8: full steps. Then -8: rate is |16| / 16 = 1 still; then
    // E = 8 and A = 24, so the next step is a third, and so on.
    let mut value = f64::from(network.evaluate(afterstate, &mut traces));
    let (mut e, mut a) = (0.0_f64, 0.0_f64);
    for error in [8.0, 8.0, -8.0, 8.0, -8.0, -4.0, 2.0] {
        let rate = if a == 0.0 { 1.0 } else { e.abs() / a };
        network.update_coherently(traces.row(0), &sums, 0.5, error as f32);
        value += 0.5 * rate * error;
        e += error;
        a += error.abs();
        assert!(
            (f64::from(network.read(traces.row(0))) - value).abs() < 1e-4,
            "{value}"
        );
    }
    assert!(e.abs() / a < 0.2);
}

/// What a stage has not learned itself it takes from the stage before.
#[test]
fn stages_have_weights_of_their_own_once_they_are_updated() {
    let structure = || Structure::parse("0123 4567", Classic.rules().geometry()).expect("patterns");
    let stages = "64,64+32".parse().expect("stages");
    let mut network = NTuple::staged(&Classic, structure(), stages).expect("small");
    let single = NTuple::new(&Classic, structure()).expect("small");
    assert_eq!(network.entries(), 3 * single.entries());
    network.fill(80.0);
    // The same first row, and the rest of the board in three stages.
    let position = |rest: u8, other: u8| {
        afterstate_of(
            &Classic,
            &[1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, rest, other],
        )
    };
    let positions = [position(4, 3), position(6, 3), position(6, 5)];
    let values = || positions.map(|position| network.value(position));
    assert_eq!(values(), [80.0; 3]);
    let sums = network.coherence_sums().expect("small");
    let learn = |stage: usize, change: f32| {
        let mut traces = network.traces(1);
        network.locate(&[positions[stage]], &mut traces);
        let before = network.read_to_update(traces.row(0));
        assert_eq!(before, network.read(traces.row(0)));
        network.update_coherently(traces.row(0), &sums, 1.0, change);
        network.value(positions[stage]) - before
    };
    // What the first stage learns of the first row, the others take over.
    assert!(learn(0, 16.0) > 16.0);
    let [first, second, third] = values();
    assert!(
        80.0 < third && third < second && second < first,
        "{:?}",
        values()
    );
    // The second learns for itself and the third, which then learns for itself alone.
    assert!(learn(1, 32.0) > 32.0);
    let [same, second, third] = values();
    assert!(
        same == first && third > 80.0 && third < second,
        "{:?}",
        values()
    );
    assert!(learn(2, -8.0) < -8.0);
    assert_eq!(values()[..2], [first, second]);
    // Many at once, as in play, give the same.
    let mut together = [0.0; 3];
    network.values(&positions, &mut together);
    assert_eq!(together, values());
    let (count, low, high) = network.weight_range();
    assert!(
        count > single.entries() && low == 0.0 && high > 10.0,
        "{low} {high}"
    );
}

#[test]
fn stages_beyond_the_largest_tile_are_refused() {
    let small = Variant::new(Rules::sized(2, 2)).expect("playable");
    let structure = || Structure::parse("0123", small.rules().geometry()).expect("a pattern");
    let staged = |text: &str| {
        let stages = text.parse().expect("stages");
        NTuple::staged(&small, structure(), stages)
            .err()
            .map(|error| error.to_string())
    };
    assert_eq!(staged("16"), None);
    let error = staged("16,64").expect("an error");
    assert!(error.contains("'16,64'") && error.contains("32"), "{error}");
    let largest = NTuple::staged(
        &Classic,
        Structure::default_for(Classic.rules().geometry()),
        "65536".parse().expect("a tile"),
    );
    let error = largest.err().expect("an error").to_string();
    assert!(error.contains("32768"), "{error}");
}

/// However many are valued at once, each has its own value.
fn check_batches<G: Indexed>(game: &G, patterns: &str) {
    let structure = Structure::parse(patterns, game.rules().geometry()).expect(patterns);
    let network = NTuple::new(game, structure).expect(patterns);
    let mut rng = game_rng(12, 0);
    let mut traces = network.traces(1);
    let position = |_| afterstate_of(game, &random_position(game, &mut rng));
    let afterstates: Vec<G::Afterstate> = (0..50).map(position).collect();
    for (number, &afterstate) in afterstates.iter().enumerate() {
        network.evaluate(afterstate, &mut traces);
        network.update(traces.row(0), number as f32 * 10.0 + 1.0);
    }
    let mut values = vec![0.0; afterstates.len()];
    network.values(&afterstates, &mut values);
    let alone: Vec<f32> = { afterstates.iter() }
        .map(|&afterstate| network.value(afterstate))
        .collect();
    assert_eq!(values, alone, "{patterns}");
    assert!(values.iter().any(|value| *value != values[0]));
}

#[test]
fn values_are_the_same_one_by_one_and_many_at_once() {
    for patterns in ["5x4", "4x5", "17x4", "0123", &"0123 456 0124 b ".repeat(16)] {
        check_batches(&Classic, patterns);
    }
    let game = Variant::new(Rules::sized(3, 3)).expect("playable");
    check_batches(&game, "0134 012 6");
    let game = Variant::new(Rules::sized(2, 3)).expect("playable");
    check_batches(&game, "0134");
}
