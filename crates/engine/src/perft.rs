use crate::Game;

/// Counts of a full enumeration of play to a fixed number of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Perft {
    /// Number of sequences of (move, cell, spawned tile) of that length.
    pub leaves: u64,
    /// Sum over these sequences of all rewards on the way.
    pub rewards: u64,
}

/// Counts every way to play `depth` moves with their spawns, as chess programs do to test move generators.
/// A board without legal moves has no way to play even one.
pub fn perft<G: Game>(game: &G, board: G::Board, depth: u32) -> Perft {
    if depth == 0 {
        return Perft {
            leaves: 1,
            rewards: 0,
        };
    }
    let mut sum = Perft::default();
    for (afterstate, reward) in game.slides(board).into_iter().flatten() {
        let empty = game.empty_cells(afterstate);
        let spawns = &game.rules().spawn;
        if depth == 1 {
            let leaves = u64::from(empty) * spawns.len() as u64;
            sum.leaves += leaves;
            sum.rewards += leaves * u64::from(reward);
            continue;
        }
        for (nth, odds) in (0..empty).flat_map(|nth| spawns.iter().map(move |odds| (nth, odds))) {
            let below = perft(game, game.place(afterstate, nth, odds.rank()), depth - 1);
            sum.leaves += below.leaves;
            sum.rewards += below.rewards + below.leaves * u64::from(reward);
        }
    }
    sum
}
