use engine::{Agent, Decision, Direction, Game};
use std::str::FromStr;

/// An order of all four directions, written by their initials: `drlu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order([Direction; 4]);

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let direction = |initial: char| {
            let all = Direction::ALL.into_iter();
            { all }.find(|direction| direction.to_string().starts_with(initial))
        };
        let order: Option<Vec<Direction>> = text.to_lowercase().chars().map(direction).collect();
        let order = order.and_then(|order| <[Direction; 4]>::try_from(order).ok());
        let all = order.filter(|order| Direction::ALL.iter().all(|d| order.contains(d)));
        all.map(Order).ok_or_else(|| {
            format!(
                "'{text}' is no order: expected the letters d, r, l and u, each once, such as drlu"
            )
        })
    }
}

/// Plays the first legal move of a fixed order.
pub struct PriorityAgent<G> {
    game: G,
    order: Order,
}

impl<G: Game> PriorityAgent<G> {
    /// A player by an order.
    pub fn new(game: G, order: Order) -> Self {
        PriorityAgent { game, order }
    }
}

impl<G: Game> Agent<G> for PriorityAgent<G> {
    fn begin_game(&mut self, _seed: u64) {}

    fn decide(&mut self, board: G::Board) -> Option<Decision> {
        let slides = self.game.slides(board);
        let mut order = self.order.0.into_iter();
        let first = order.find(|&direction| slides[direction as usize].is_some());
        first.map(Decision::unvalued)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Classic;

    #[test]
    fn the_first_legal_move_is_played() {
        let order = "DrLU".parse().expect("an order");
        let mut agent = PriorityAgent::new(Classic, order);
        let mut decide = |text: &str| {
            let board = Classic.parse_board(text).expect("a board");
            agent.decide(board).map(|decision| decision.direction)
        };
        assert_eq!(
            decide("2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0"),
            Some(Direction::Down)
        );
        assert_eq!(
            decide("0 0 0 0/0 0 0 0/0 0 0 0/2 0 0 0"),
            Some(Direction::Right)
        );
        assert_eq!(
            decide("0 0 0 0/0 0 0 0/0 0 0 0/0 0 0 2"),
            Some(Direction::Left)
        );
        assert_eq!(
            decide("0 0 0 0/0 0 0 0/0 0 0 0/2 4 2 4"),
            Some(Direction::Up)
        );
        assert_eq!(decide("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2"), None);
        for text in ["", "drl", "drll", "drlux", "drlx"] {
            assert!(text.parse::<Order>().is_err(), "{text}");
        }
    }
}
