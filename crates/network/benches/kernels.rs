//! The speed of every kernel, and of what is done with the places it finds: `cargo bench -p afterstate-network`.

use divan::{Bencher, black_box, counter::ItemsCount};
use engine::{Classic, ClassicAfterstate, Game, ValueFunction, game_rng};
use network::{NTuple, Structure, Trace};
use std::sync::LazyLock;

fn main() {
    divan::main();
}

fn network(structure: &str) -> NTuple<Classic> {
    let structure = Structure::parse(structure, Classic.rules().geometry());
    NTuple::new(&Classic, structure.expect("a name")).expect("memory for a network")
}

/// Afterstates on the way of some games, those of a board one after the other, as training meets them.
static AFTERSTATES: LazyLock<Vec<ClassicAfterstate>> = LazyLock::new(|| {
    let mut afterstates = Vec::new();
    for number in 0..20 {
        let mut rng = game_rng(1, number);
        let mut board = Classic.start(&mut rng);
        loop {
            let legal = || Classic.slides(board).into_iter().flatten();
            afterstates.extend(legal().map(|(afterstate, _)| afterstate));
            let Some((afterstate, _)) = legal().max_by_key(|&(_, reward)| reward) else {
                break;
            };
            board = Classic.spawn(afterstate, &mut rng);
        }
    }
    afterstates
});

/// Afterstates that are looked up together: the moves of a board.
const MOVES: usize = 4;

/// Kernels of this processor, as numbers.
fn kernels() -> std::ops::Range<usize> {
    0..network("0123").kernel_names().len()
}

/// Finding the places of a value's weights; the number is the kernel's, the fastest first.
#[divan::bench(args = kernels(), consts = [4, 8])]
fn locate<const PATTERNS: usize>(bencher: Bencher, kernel: usize) {
    let mut network = network(&format!("{PATTERNS}x6"));
    assert!(network.choose_kernel(network.kernel_names()[kernel]));
    let mut traces = network.traces(MOVES);
    bencher
        .counter(ItemsCount::new(AFTERSTATES.len()))
        .bench_local(|| {
            for afterstates in AFTERSTATES.chunks(MOVES) {
                network.locate(black_box(afterstates), &mut traces);
                black_box(&traces);
            }
        });
}

/// Valuing afterstates, many at a time.
#[divan::bench(args = ["4x6", "8x6"])]
fn value(bencher: Bencher, structure: &str) {
    let network = network(structure);
    // Memory that was never written is the same page everywhere.
    let mut traces = network.traces(1);
    for &afterstate in AFTERSTATES.iter() {
        network.locate(&[afterstate], &mut traces);
        network.update(traces.row(0), 1.0);
    }
    let mut values = vec![0.0; AFTERSTATES.len()];
    bencher
        .counter(ItemsCount::new(AFTERSTATES.len()))
        .bench_local(|| {
            network.values(black_box(&AFTERSTATES), &mut values);
            black_box(&values);
        });
}

/// Corrects every afterstate's value by some way to learn from an error.
fn learn(bencher: Bencher, network: &NTuple<Classic>, update: impl Fn(Trace<'_>, f32)) {
    let mut traces = network.traces(1);
    bencher
        .counter(ItemsCount::new(AFTERSTATES.len()))
        .bench_local(|| {
            for &afterstate in AFTERSTATES.iter() {
                let error = 1.0 - network.evaluate(afterstate, &mut traces);
                update(traces.row(0), error);
            }
        });
}

/// Learning from an error with a constant step size.
#[divan::bench(args = ["4x6", "8x6"])]
fn update(bencher: Bencher, structure: &str) {
    let network = network(structure);
    learn(bencher, &network, |trace, error| {
        network.update(trace, 0.1 * error);
    });
}

/// Learning from an error with temporal coherence.
#[divan::bench(args = ["4x6", "8x6"])]
fn update_coherently(bencher: Bencher, structure: &str) {
    let network = network(structure);
    let sums = network.coherence_sums().expect("memory");
    learn(bencher, &network, |trace, error| {
        network.update_coherently(trace, &sums, 1.0, error);
    });
}
