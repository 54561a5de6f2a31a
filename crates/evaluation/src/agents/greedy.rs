use engine::{Agent, BOARDS, Choice, Decision, Effort, Game, ValueFunction, best_move, best_moves};

/// Plays the move with the greatest step reward + value of the afterstate: search of depth 1.
pub struct GreedyAgent<G, V> {
    game: G,
    value: V,
    choices: Vec<Option<Choice>>,
}

impl<G: Game, V: ValueFunction<G>> GreedyAgent<G, V> {
    /// A greedy player of a game, by a value function.
    pub fn new(game: G, value: V) -> Self {
        GreedyAgent {
            game,
            value,
            choices: Vec::with_capacity(BOARDS),
        }
    }
}

fn decision((direction, values): Choice) -> Decision {
    let legal = values.iter().flatten().count() as u64;
    Decision {
        direction,
        values,
        effort: Effort {
            depth: 1,
            nodes: 1 + legal,
            leaves: legal,
            table_hits: 0,
        },
    }
}

impl<G: Game, V: ValueFunction<G>> Agent<G> for GreedyAgent<G, V> {
    fn begin_game(&mut self, _seed: u64) {}

    fn decide(&mut self, board: G::Board) -> Option<Decision> {
        best_move(&self.game, board, &self.value).map(decision)
    }

    fn lanes(&self) -> usize {
        BOARDS
    }

    fn decide_batch(&mut self, boards: &[G::Board], decisions: &mut Vec<Option<Decision>>) {
        best_moves(&self.game, boards, &self.value, &mut self.choices);
        decisions.clear();
        decisions.extend(self.choices.iter().map(|choice| choice.map(decision)));
    }
}
