use serde::{Deserialize, Serialize};

/// The four moves of the player. Arrays over directions are indexed by `direction as usize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Tiles slide towards the first row.
    Up,
    /// Tiles slide towards the last column.
    Right,
    /// Tiles slide towards the last row.
    Down,
    /// Tiles slide towards the first column.
    Left,
}

impl Direction {
    /// All directions, in the order in which ties are broken: the first of equally good moves is played.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Right,
        Direction::Down,
        Direction::Left,
    ];
}

impl std::fmt::Display for Direction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            Direction::Up => "up",
            Direction::Right => "right",
            Direction::Down => "down",
            Direction::Left => "left",
        })
    }
}
