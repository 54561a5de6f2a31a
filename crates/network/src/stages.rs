use engine::{Cells, Game, tile};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Parts of the game that have weights of their own, told apart by the large tiles on the board (Wu, Yeh et al. 2014).
///
/// As text a list of tiles, or of tiles that are on the board together, such as `16384,16384+8192,32768`: a position is of
/// the last stage in the list all of whose tiles it has, or of the first stage, which needs none. The largest tile that a
/// table distinguishes stands for all beyond it too. `none` is one stage for the whole game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Stages {
    /// For each stage but the first the ranks of its tiles, a bit each.
    marks: Vec<u32>,
    /// A position without a rank this large is of the first stage.
    least: u8,
}

/// More than any published player has.
const MAX_STAGES: usize = 64;

/// The largest rank that text can name.
const MAX_RANK: u8 = 30;

impl Stages {
    /// The number of stages, at least 1.
    pub fn count(&self) -> usize {
        1 + self.marks.len()
    }

    /// The largest rank that a stage asks for, 0 if there is but one stage.
    pub fn largest_rank(&self) -> u32 {
        let all = self.marks.iter().fold(0, |all, mark| all | mark);
        all.checked_ilog2().unwrap_or(0)
    }

    /// The number of a position's stage, counted from 0, where `radix` ranks are distinguished, at most 32.
    #[inline]
    pub fn stage_of<G: Game>(&self, game: &G, position: G::Afterstate, radix: u32) -> usize {
        if self.marks.is_empty() || !game.has_rank_from(position, self.least) {
            return 0;
        }
        let cells = 0..game.rules().geometry().cells();
        let ranks = cells.fold(0_u32, |ranks, cell| {
            ranks | 1 << u32::from(position.rank(cell)).min(radix - 1)
        });
        let last = self.marks.iter().rposition(|mark| ranks & mark == *mark);
        last.map_or(0, |nth| nth + 1)
    }
}

impl fmt::Display for Stages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.marks.is_empty() {
            return f.write_str("none");
        }
        for (nth, mark) in self.marks.iter().enumerate() {
            let ranks = (1..=MAX_RANK).rev().filter(|rank| mark >> rank & 1 == 1);
            let tiles: Vec<String> = ranks.map(|rank| tile(rank).to_string()).collect();
            let comma = if nth == 0 { "" } else { "," };
            write!(f, "{comma}{}", tiles.join("+"))?;
        }
        Ok(())
    }
}

impl FromStr for Stages {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Stages::default());
        }
        let expected = "expected none, or a list of tiles such as 16384,16384+8192,32768";
        let mut marks = Vec::new();
        for words in text.split(',') {
            let mut mark = 0_u32;
            for word in words.split('+') {
                let ranks = (1..=MAX_RANK).find(|rank| word.trim().parse() == Ok(tile(*rank)));
                let rank = ranks.ok_or_else(|| format!("'{word}' is no tile: {expected}"))?;
                if mark >> rank & 1 == 1 {
                    return Err(format!("'{words}' has {word} twice: {expected}"));
                }
                mark |= 1 << rank;
            }
            if marks.iter().any(|before| before & mark == mark) {
                return Err(format!(
                    "stage '{words}' hides one before it, since a position is of the last one whose tiles it has: {expected}"
                ));
            }
            marks.push(mark);
        }
        if marks.len() >= MAX_STAGES {
            return Err(format!(
                "there are {} stages, at most {MAX_STAGES} fit: {expected}",
                marks.len() + 1
            ));
        }
        let largest = |mark: &u32| mark.checked_ilog2().unwrap_or(0) as u8;
        let least = marks.iter().map(largest).min().unwrap_or(0);
        Ok(Stages { marks, least })
    }
}

impl TryFrom<String> for Stages {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Stages> for String {
    fn from(stages: Stages) -> String {
        stages.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Classic, Rules, Variant};

    #[test]
    fn a_position_is_of_the_last_stage_whose_tiles_it_has() {
        let stages: Stages = "16384,8192+16384,32768".parse().expect("stages");
        assert_eq!(stages.to_string(), "16384,16384+8192,32768");
        assert_eq!(stages.count(), 4);
        for (row, expected) in [
            ("2 4 0 0", 0),
            ("8192 4 0 0", 0),
            ("16384 4096 0 0", 1),
            ("8192 2 16384 0", 2),
            ("32768 2 0 0", 3),
            ("32768 16384 8192 0", 3),
            // It is not told from 32768.
            ("65536 16384 2 4", 3),
        ] {
            let board = Classic.parse_board(&format!("{row}/0 0 0 0/0 0 0 0/0 0 0 0"));
            let afterstate = Classic.awaiting_spawn(board.expect(row));
            assert_eq!(stages.stage_of(&Classic, afterstate, 16), expected, "{row}");
        }
        let small = Variant::new(Rules::sized(2, 3)).expect("rules");
        let board = small.parse_board("8 4 2/0 0 0").expect("a board");
        let stages: Stages = "16,8".parse().expect("stages");
        assert_eq!(
            stages.stage_of(&small, small.awaiting_spawn(board), 8),
            2,
            "8 without a 16"
        );
    }

    #[test]
    fn what_is_no_list_of_stages_is_named() {
        assert_eq!("none".parse(), Ok(Stages::default()));
        assert_eq!(Stages::default().to_string(), "none");
        let many: Vec<String> = (1..=8)
            .flat_map(|a| (9..=16).map(move |b| format!("{}+{}", tile(a), tile(b))))
            .collect();
        for (text, part) in [
            ("", "'' is no tile"),
            ("16385", "'16385' is no tile"),
            ("1", "'1' is no tile"),
            ("16384,", "'' is no tile"),
            ("64+64", "has 64 twice"),
            ("64+32,32+64", "'32+64' hides one before it"),
            ("64+32,32", "'32' hides one before it"),
            (&many.join(","), "65 stages, at most 64"),
        ] {
            let error = text.parse::<Stages>().expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
