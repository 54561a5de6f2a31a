use super::LEAST;
use super::after_spawns::AfterSpawns;
use super::lines::{LineFunction, LineSum};
use engine::{BestSum, Cells, Game, Objective, ValueFunction};

/// A strong hand-made rating: the sum of a value of every row and every column, each looked up in a table that is
/// worked out beforehand (the idea of nneonneo's 2048-ai). A line is worth more the more cells are empty, the more
/// equal neighbours can merge, the better its ranks are in order, and the fewer large tiles are spread over it.
pub struct RowTable<G: Game> {
    game: G,
    constants: RowConstants,
    lines: LineSum<G>,
    after_spawns: Option<AfterSpawns<G>>,
    /// By rank, what a tile adds in its row and its column together.
    tiles: Vec<f64>,
}

/// The constants of a [`RowTable`]'s lines, all 0 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
struct RowConstants {
    /// What every line adds, so that being alive is worth more than any fault of a board.
    alive: f64,
    /// Each empty cell.
    empty: f64,
    /// Each tile that has an equal neighbour along the line.
    merge: f64,
    /// Taken off: the smaller of the sums of all rises and of all falls of rank^`order_power` along the line.
    order: f64,
    /// See `order`.
    order_power: f64,
    /// Taken off: the sum of rank^`tile_power`.
    tile: f64,
    /// See `tile`.
    tile_power: f64,
}

/// Tuned on games of depth 3 by a cross-entropy search.
const CONSTANTS: RowConstants = RowConstants {
    alive: 150_000.0,
    empty: 440.0,
    merge: 455.0,
    order: 35.0,
    order_power: 3.0,
    tile: 7.8,
    tile_power: 3.15,
};

impl RowConstants {
    /// What one line is worth.
    fn line(&self, ranks: &[u8]) -> f32 {
        let power = |rank: u8| f64::from(rank).powf(self.order_power);
        let (mut rises, mut falls) = (0.0_f64, 0.0);
        for pair in ranks.windows(2) {
            let change = power(pair[1]) - power(pair[0]);
            rises += change.max(0.0);
            falls -= change.min(0.0);
        }
        let tiles: Vec<u8> = ranks.iter().copied().filter(|&rank| rank != 0).collect();
        let runs = tiles.chunk_by(|a, b| a == b).map(<[u8]>::len);
        let merging: usize = runs.filter(|&length| length > 1).sum();
        let spread: f64 = tiles.iter().map(|&rank| self.tile(rank)).sum();
        let empty = (ranks.len() - tiles.len()) as f64;
        let worth = self.alive + self.empty * empty + self.merge * merging as f64;
        (worth - self.order * rises.min(falls) - spread) as f32
    }

    /// What a tile takes off its line for being there.
    fn tile(&self, rank: u8) -> f64 {
        self.tile * f64::from(rank).powf(self.tile_power)
    }
}

/// Covers the rounding of sums in another order.
const ROUNDED_UP: f32 = 1.000_01;

/// Moves ahead beyond which no bound is stated: it would be of no use.
const FAR: u32 = 20;

impl<G: Game> RowTable<G> {
    /// The rating for a game.
    pub fn new(game: &G) -> Self {
        let constants = CONSTANTS;
        let ranks = 0..=game.rules().largest_rank();
        let tiles = ranks.map(|rank| match rank {
            0 => 0.0,
            // Lines tell no larger ranks apart.
            _ => -2.0 * (constants.empty + constants.tile(rank.min((1 << G::LINE_BITS) - 1))),
        });
        let line: LineFunction = Box::new(move |ranks| constants.line(ranks));
        RowTable {
            game: game.clone(),
            constants,
            after_spawns: AfterSpawns::new(game, &line, LEAST),
            lines: LineSum::new(game, line),
            tiles: tiles.collect(),
        }
    }
}

impl<G: Game> ValueFunction<G> for RowTable<G> {
    fn objective(&self) -> Objective {
        Objective::Rating
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn values(&self, afterstates: &[G::Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.lines.sum(afterstate).max(LEAST);
        }
    }

    fn best_after_spawns(
        &self,
        afterstate: G::Afterstate,
        ranks: &[(u8, f64)],
        cells: u32,
    ) -> Option<BestSum> {
        self.after_spawns.as_ref()?.best(afterstate, ranks, cells)
    }

    /// The rating of a board in perfect order, all of whose tiles can merge, after as many merges as raise the
    /// rating and can be had in so many moves.
    fn upper_bound(&self, afterstate: G::Afterstate, moves: u32) -> f32 {
        if moves > FAR {
            return f32::INFINITY;
        }
        let rules = self.game.rules();
        let (geometry, largest) = (rules.geometry(), rules.largest_rank() as usize);
        let mut counts = [0_u32; 32];
        for cell in 0..geometry.cells() {
            counts[afterstate.rank(cell) as usize] += 1;
        }
        let tiles = geometry.cells() as u32 - counts[0];
        let present = counts.iter().zip(&self.tiles);
        let mut rating: f64 = present.map(|(&count, tile)| f64::from(count) * tile).sum();
        for _ in 0..moves {
            for odds in &rules.spawn {
                counts[odds.rank() as usize] += 1;
            }
            // Downwards, because a tile that was just made does not merge again.
            for rank in (1..largest).rev() {
                let pairs = counts[rank] / 2;
                counts[rank] %= 2;
                counts[rank + 1] += pairs;
                let gain = self.tiles[rank + 1] - 2.0 * self.tiles[rank];
                rating += f64::from(pairs) * gain.max(0.0);
            }
        }
        let lines = (geometry.rows + geometry.columns) as f64;
        let cells = geometry.cells() as u32;
        let merging = 2 * cells.min(tiles + moves);
        rating += self.constants.alive * lines;
        rating += self.constants.empty * 2.0 * f64::from(cells);
        rating += self.constants.merge * f64::from(merging);
        (rating as f32).max(LEAST) * ROUNDED_UP
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Classic, Episode, Rules, Variant, game_rng};
    use rand::RngExt;

    #[test]
    fn lines_are_worth_what_the_constants_say() {
        let constants = RowConstants {
            alive: 1_000.0,
            empty: 10.0,
            merge: 100.0,
            order: 1.0,
            order_power: 2.0,
            tile: 1.0,
            tile_power: 1.0,
        };
        for (ranks, value) in [
            ([0, 0, 0, 0], 1_040.0),
            ([0, 3, 0, 0], 1_000.0 + 30.0 - 9.0 - 3.0),
            ([1, 2, 3, 4], 1_000.0 - 10.0),
            ([4, 3, 2, 1], 1_000.0 - 10.0),
            ([1, 1, 0, 1], 1_000.0 + 10.0 + 300.0 - 1.0 - 3.0),
            ([5, 5, 1, 1], 1_000.0 + 400.0 - 12.0),
            ([2, 3, 2, 3], 1_000.0 - 5.0 - 10.0),
        ] {
            assert_eq!(constants.line(&ranks), value, "{ranks:?}");
        }
    }

    /// No board within reach is worth more than the bound says.
    fn check_bound<G: Game>(game: &G, close: f32, prepare: fn(&mut Vec<u8>)) {
        let value = RowTable::new(game);
        let mut rng = game_rng(7, 0);
        let mut tightest = f32::INFINITY;
        for number in 0..200 {
            let mut episode = Episode::start(game, game_rng(8, number));
            let mut ranks = game.ranks(&episode.board);
            prepare(&mut ranks);
            episode.board = game.board_of_ranks(&ranks);
            let mut bounds: Vec<(u64, f32)> = Vec::new();
            loop {
                let slides: Vec<_> = game.slides(episode.board).into_iter().flatten().collect();
                // Merges, where there are any, come closest to the bound.
                let best = slides.iter().max_by_key(|(_, reward)| *reward);
                let random =
                    (!slides.is_empty()).then(|| slides[rng.random_range(0..slides.len())]);
                let Some((afterstate, reward)) = (if number % 2 == 0 {
                    best.copied()
                } else {
                    random
                }) else {
                    break;
                };
                let found = value.value(afterstate);
                for (since, bound) in &bounds {
                    assert!(
                        found <= *bound,
                        "{found} > {bound}, {since}, {:?}",
                        game.ranks(&afterstate)
                    );
                    tightest = tightest.min(bound - found);
                }
                episode.advance(game, afterstate, reward);
                bounds.retain(|(since, _)| episode.moves - since < 3);
                bounds.push((episode.moves, value.upper_bound(afterstate, 3)));
            }
        }
        assert!(tightest < close, "{tightest}");
    }

    #[test]
    fn no_board_within_reach_exceeds_the_bound() {
        check_bound(&Classic, 10_000.0, |_| ());
        check_bound(&Classic, 100_000.0, |ranks| {
            ranks[..4].copy_from_slice(&[16, 0, 0, 3])
        });
        check_bound(&Classic, 100_000.0, |ranks| {
            ranks[..4].copy_from_slice(&[15, 15, 14, 14])
        });
        check_bound(&Classic, 100_000.0, |ranks| {
            ranks[..8].copy_from_slice(&[12, 12, 11, 10, 9, 10, 9, 8])
        });
        let small = Variant::new(Rules::sized(3, 3)).expect("playable");
        check_bound(&small, 10_000.0, |_| ());
        let eights = Rules::from_toml(
            "spawn = [{ tile = 2, probability = 0.5 }, { tile = 8, probability = 0.5 }]",
        );
        let eights = Variant::new(eights.expect("rules")).expect("playable");
        check_bound(&eights, 10_000.0, |_| ());
    }
}
