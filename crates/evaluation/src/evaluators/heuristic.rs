use super::LEAST;
use super::features::{BoardFeature, FEATURES, Feature, Weights};
use super::lines::LineSum;
use engine::{Cells, Game, MAX_CELLS, Objective, ValueFunction};

/// A rating by weighted features of the board; see `weights.toml` for what they are.
pub struct Heuristic<G: Game> {
    game: G,
    alive: f32,
    /// All features of lines, weighted.
    lines: LineSum<G>,
    /// Features of the board with their weights, those of weight 0 left out.
    of_board: Vec<(f32, BoardFeature)>,
    /// What no board is worth more than.
    most: f32,
}

impl<G: Game> Heuristic<G> {
    /// The rating of a game's boards by some weights.
    pub fn new(game: &G, weights: &Weights) -> Self {
        let geometry = game.rules().geometry();
        let (rows, columns) = (geometry.rows as f32, geometry.columns as f32);
        let rank = f32::from(game.rules().largest_rank());
        let (mut of_line, mut of_board) = (Vec::new(), Vec::new());
        let mut most = weights.alive;
        for ((_, feature), weight) in FEATURES.into_iter().zip(weights.features) {
            let best = |[low, high]: [f32; 2]| (weight * low).max(weight * high);
            match feature {
                _ if weight == 0.0 => {}
                Feature::Line { of, range } => {
                    most += rows * best(range(columns, rank)) + columns * best(range(rows, rank));
                    of_line.push((weight, of));
                }
                Feature::Board(of) => {
                    most += best([0.0, rank]);
                    of_board.push((weight, of));
                }
            }
        }
        let line = move |ranks: &[u8]| of_line.iter().map(|(weight, of)| weight * of(ranks)).sum();
        Heuristic {
            game: game.clone(),
            alive: weights.alive,
            lines: LineSum::new(game, Box::new(line)),
            of_board,
            most: most.max(LEAST),
        }
    }
}

impl<G: Game> ValueFunction<G> for Heuristic<G> {
    fn objective(&self) -> Objective {
        Objective::Rating
    }

    fn symmetric(&self) -> bool {
        true
    }

    fn values(&self, afterstates: &[G::Afterstate], values: &mut [f32]) {
        let geometry = self.game.rules().geometry();
        let mut ranks = [0; MAX_CELLS];
        let ranks = &mut ranks[..geometry.cells()];
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            let mut rating = self.alive + self.lines.sum(afterstate);
            if !self.of_board.is_empty() {
                for (cell, rank) in ranks.iter_mut().enumerate() {
                    *rank = afterstate.rank(cell);
                }
                for (weight, feature) in &self.of_board {
                    rating += weight * feature(ranks, geometry.columns);
                }
            }
            *value = rating.max(LEAST);
        }
    }
    fn upper_bound(&self, _afterstate: G::Afterstate, _moves: u32) -> f32 {
        self.most
    }
}
