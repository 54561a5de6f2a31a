//! The speed of moves and spawns: `cargo bench -p afterstate-engine`.

use divan::{Bencher, black_box, counter::ItemsCount};
use engine::{Classic, Game, GameRng, Rules, Variant, game_rng};

fn main() {
    divan::main();
}

/// All boards of some games of varied slides.
fn boards<G: Game>(game: &G) -> Vec<G::Board> {
    let mut boards = Vec::new();
    for number in 0..10 {
        let mut rng: GameRng = game_rng(1, number);
        let mut board = game.start(&mut rng);
        for turn in number as usize.. {
            boards.push(board);
            let legal: Vec<_> = game.slides(board).into_iter().flatten().collect();
            let Some((afterstate, _)) = legal.get(turn % legal.len().max(1)) else {
                break;
            };
            board = game.spawn(*afterstate, &mut rng);
        }
    }
    boards
}

/// Does something with each of some positions.
fn each<T: Copy, R>(bencher: Bencher, positions: &[T], mut work: impl FnMut(T) -> R) {
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench_local(|| {
            for &position in positions {
                black_box(work(black_box(position)));
            }
        });
}

fn slide_all<G: Game>(bencher: Bencher, game: &G) {
    each(bencher, &boards(game), |board| game.slides(board));
}

fn spawn_all<G: Game>(bencher: Bencher, game: &G) {
    let slides = boards(game)
        .into_iter()
        .flat_map(|board| game.slides(board));
    let afterstates: Vec<_> = slides.flatten().map(|(afterstate, _)| afterstate).collect();
    let mut rng = game_rng(2, 0);
    each(bencher, &afterstates, |afterstate| {
        game.spawn(afterstate, &mut rng)
    });
}

/// All four slides of a board.
#[divan::bench]
fn slides_classic(bencher: Bencher) {
    slide_all(bencher, &Classic);
}

/// The same by the reference rules.
#[divan::bench]
fn slides_variant(bencher: Bencher) {
    slide_all(
        bencher,
        &Variant::new(Rules::default()).expect("the usual rules"),
    );
}

#[divan::bench]
fn spawn_classic(bencher: Bencher) {
    spawn_all(bencher, &Classic);
}

#[divan::bench]
fn spawn_variant(bencher: Bencher) {
    spawn_all(
        bencher,
        &Variant::new(Rules::default()).expect("the usual rules"),
    );
}
