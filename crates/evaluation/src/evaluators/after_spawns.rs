//! The best moves after every spawn, for sums over the lines of small square boards.
//!
//! A slide moves lines one by one, and a spawn changes one of them: all others are slid once for all spawns, and what is
//! left to do for a spawn and a direction is to look up one line's slide and the values of the lines that it crosses.

use super::lines::{LineFunction, code_of, ranks_of};
use engine::{BestSum, Game, MAX_LINES, slide_line};

/// Contents of a line of 16 bits: indices that need no check.
const CODES: usize = 1 << 16;

/// In place of the code of a line that holds the largest rank: its code stands for all larger ones, too, and what they
/// merge to is not known. No other line's slide has it.
const BEYOND: u16 = u16::MAX;

/// Tables for the lines of a square board.
pub(crate) struct AfterSpawns<G> {
    game: G,
    /// The least that a living board is worth.
    least: f32,
    /// The value of a line by its code.
    values: Box<[f32; CODES]>,
    /// The code of a line after a slide towards its first cell, and towards its last.
    slides: [Box<[u16; CODES]>; 2],
}

impl<G: Game> AfterSpawns<G> {
    /// Tables for boards whose value is the sum of a function over all lines, at least `least`; `None` for boards that
    /// are not square, have too long lines for this, or end in other ways than by having no move.
    pub(crate) fn new(game: &G, function: &LineFunction, least: f32) -> Option<Self> {
        let geometry = game.rules().geometry();
        let bits = G::LINE_BITS as usize * geometry.rows;
        // A whole board by lines across must fit 64 bits.
        let fits = bits <= 16 && bits * geometry.columns <= 64;
        if geometry.rows != geometry.columns || !fits || game.rules().stop_at_target {
            return None;
        }
        let length = geometry.rows;
        let cells: Vec<usize> = (0..length).collect();
        let backwards: Vec<usize> = cells.iter().rev().copied().collect();
        let slide = |code: usize, cells: &[usize]| {
            let mut ranks = ranks_of::<G>(code as u32);
            if ranks.iter().any(|&rank| rank == (1 << G::LINE_BITS) - 1) {
                return BEYOND;
            }
            slide_line(game.rules().merge, &mut ranks, cells);
            code_of::<G>(&ranks) as u16
        };
        let codes = || 0..1_usize << bits;
        let value = |code: usize| function(&ranks_of::<G>(code as u32)[..length]);
        Some(AfterSpawns {
            game: game.clone(),
            least,
            values: table(codes().map(value))?,
            slides: [
                table(codes().map(|code| slide(code, &cells)))?,
                table(codes().map(|code| slide(code, &backwards)))?,
            ],
        })
    }

    /// See [`engine::ValueFunction::best_after_spawns`].
    pub(crate) fn best(
        &self,
        afterstate: G::Afterstate,
        ranks: &[(u8, f64)],
        cells: u32,
    ) -> Option<BestSum> {
        let mut codes = [0; MAX_LINES];
        self.game.line_codes(afterstate, &mut codes);
        match self.game.rules().rows {
            2 => self.best_of::<2>(&codes, ranks, cells),
            3 => self.best_of::<3>(&codes, ranks, cells),
            _ => self.best_of::<4>(&codes, ranks, cells),
        }
    }

    fn best_of<const N: usize>(
        &self,
        codes: &[u32; MAX_LINES],
        ranks: &[(u8, f64)],
        cells: u32,
    ) -> Option<BestSum> {
        let rows: [u16; N] = std::array::from_fn(|row| codes[row] as u16);
        let columns: [u16; N] = std::array::from_fn(|column| codes[N + column] as u16);
        let [up, down] = [0, 1].map(|end| self.slid(&columns, end));
        let [left, right] = [0, 1].map(|end| self.slid(&rows, end));
        let (up, down, left, right) = (up?, down?, left?, right?);
        let mut best_sum = BestSum::default();
        let mut nth = 0;
        for row in 0..N {
            for column in 0..N {
                if rows[row] >> (G::LINE_BITS as usize * column) & ((1 << G::LINE_BITS) - 1) != 0 {
                    continue;
                }
                let chosen = cells >> nth & 1 == 1;
                nth += 1;
                if !chosen {
                    continue;
                }
                for &(rank, weight) in ranks {
                    let values = [
                        self.with_spawn(&left, &rows, 0, row, column, rank),
                        self.with_spawn(&right, &rows, 1, row, column, rank),
                        self.with_spawn(&up, &columns, 0, column, row, rank),
                        self.with_spawn(&down, &columns, 1, column, row, rank),
                    ];
                    best_sum.boards += 1;
                    best_sum.moves += values.iter().filter(|value| **value > DEAD).count() as u32;
                    let best = values.into_iter().fold(DEAD, f32::max);
                    if best > DEAD {
                        best_sum.sum += weight * f64::from(best.max(self.least));
                    }
                }
            }
        }
        Some(best_sum)
    }

    /// The board after a slide of its lines towards one end; `None` if a line holds what its code cannot tell.
    #[inline(always)]
    fn slid<const N: usize>(&self, lines: &[u16; N], end: usize) -> Option<Slid<N>> {
        let mut slid = Slid {
            crossing: 0,
            values: [0.0; N],
            sum: 0.0,
            moved: 0,
        };
        for (line, &before) in lines.iter().enumerate() {
            let after = self.slides[end][before as usize];
            if after == BEYOND {
                return None;
            }
            slid.crossing |= spread::<G, N>(after) << (G::LINE_BITS as usize * line);
            slid.values[line] = self.values[after as usize];
            slid.sum += slid.values[line];
            slid.moved |= u32::from(after != before) << line;
        }
        Some(slid)
    }

    /// The value of a slide if a tile spawned in one cell before it; [`DEAD`] if it changes nothing then.
    #[inline(always)]
    fn with_spawn<const N: usize>(
        &self,
        slid: &Slid<N>,
        lines: &[u16; N],
        end: usize,
        line: usize,
        position: usize,
        rank: u8,
    ) -> f32 {
        let bits = G::LINE_BITS as usize;
        let before = lines[line] | u16::from(rank) << (bits * position);
        let after = self.slides[end][before as usize];
        if after == before && slid.moved & !(1 << line) == 0 {
            return DEAD;
        }
        let cells = spread::<G, N>(u16::MAX >> (16 - bits * N)) << (bits * line);
        let crossing = slid.crossing & !cells | spread::<G, N>(after) << (bits * line);
        let mut sum = slid.sum - slid.values[line] + self.values[after as usize];
        for across in 0..N {
            let code = (crossing >> (bits * N * across)) as u16 & (u16::MAX >> (16 - bits * N));
            sum += self.values[code as usize];
        }
        sum
    }
}

/// In place of the value of a slide that is not legal.
const DEAD: f32 = f32::NEG_INFINITY;

/// A board after one slide.
struct Slid<const N: usize> {
    /// The codes of the lines across those that the slide moved, one above the other.
    crossing: u64,
    /// The values of the moved lines.
    values: [f32; N],
    /// Their sum.
    sum: f32,
    /// A bit for each line that the slide changed.
    moved: u32,
}

/// The cells of a line as the first cells of all lines across it.
#[inline(always)]
fn spread<G: Game, const N: usize>(code: u16) -> u64 {
    let bits = G::LINE_BITS as usize;
    let (cell, line) = ((1 << bits) - 1, bits * N);
    let code = u64::from(code);
    if N == 4 {
        // Pairs of cells first: fewer steps.
        let pair = cell | cell << bits;
        let pairs = (code | code << (2 * (line - bits))) & (pair | pair << (2 * line));
        let cells = cell | cell << line;
        return (pairs | pairs << (line - bits)) & (cells | cells << (2 * line));
    }
    (0..N).fold(0, |lines, position| {
        lines | (code >> (bits * position) & cell) << (line * position)
    })
}

fn table<T: Copy + Default>(values: impl Iterator<Item = T>) -> Option<Box<[T; CODES]>> {
    let mut table = vec![T::default(); CODES];
    for (entry, value) in table.iter_mut().zip(values) {
        *entry = value;
    }
    table.into_boxed_slice().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluators::lines::LineSum;
    use engine::{Classic, Episode, Rules, Variant, game_rng};

    fn line() -> LineFunction {
        // Uneven, so that lines and directions differ; negative for some, so that `least` counts.
        Box::new(|ranks| {
            let cells = ranks.iter().zip(1_u8..);
            let sum: f32 = cells
                .map(|(&rank, place)| f32::from(rank) * f32::from(place * place))
                .sum();
            300.0 - sum
        })
    }

    /// What the boards after all spawns are worth, one by one.
    fn plainly<G: Game>(
        game: &G,
        afterstate: G::Afterstate,
        ranks: &[(u8, f64)],
        cells: u32,
    ) -> BestSum {
        let lines = LineSum::new(game, line());
        let mut best_sum = BestSum::default();
        for &(rank, weight) in ranks {
            for (nth, board) in game.placements(afterstate, rank).enumerate() {
                if cells >> nth & 1 == 1 {
                    let slides = game.slides(board);
                    let values = slides
                        .iter()
                        .flatten()
                        .map(|(slid, _)| lines.sum(*slid).max(5.0));
                    best_sum.boards += 1;
                    best_sum.moves += values.clone().count() as u32;
                    best_sum.sum += weight * f64::from(values.reduce(f32::max).unwrap_or(0.0));
                }
            }
        }
        best_sum
    }

    fn check<G: Game>(game: &G) {
        let fast = AfterSpawns::new(game, &line(), 5.0).expect("a small square board");
        let mut dead = 0;
        for seed in 0..30 {
            let mut episode = Episode::start(game, game_rng(seed, 0));
            while let Some((afterstate, reward)) =
                game.slides(episode.board).into_iter().flatten().last()
            {
                for cells in [u32::MAX, 0b1010_1101, 0b1] {
                    for ranks in [&[(1, 0.9), (2, 0.1)][..], &[(3, 1.0)]] {
                        let (found, expected) = (
                            fast.best(afterstate, ranks, cells),
                            plainly(game, afterstate, ranks, cells),
                        );
                        let found = found.expect("no large tiles");
                        assert_eq!(
                            (found.boards, found.moves),
                            (expected.boards, expected.moves)
                        );
                        assert!(
                            (found.sum - expected.sum).abs() < 0.01,
                            "{found:?} {expected:?}"
                        );
                        dead += usize::from(found.moves == 0);
                    }
                }
                episode.advance(game, afterstate, reward);
            }
        }
        assert!(dead > 0);
    }

    #[test]
    fn all_spawns_at_once_are_worth_what_they_are_one_by_one() {
        check(&Classic);
        for size in [2, 3] {
            check(&Variant::new(Rules::sized(size, size)).expect("playable"));
        }
        let sized = |rows, columns| Variant::new(Rules::sized(rows, columns)).expect("playable");
        for game in [sized(2, 3), sized(5, 5), sized(4, 4)] {
            assert!(AfterSpawns::new(&game, &line(), 5.0).is_none());
        }
    }

    #[test]
    fn lines_of_the_largest_ranks_are_left_to_others() {
        let fast = AfterSpawns::new(&Classic, &line(), 5.0).expect("a small square board");
        for (text, known) in [
            ("16384 16384 2 0/0 0 0 0/0 0 0 0/0 0 0 0", true),
            ("32768 0 2 0/0 0 0 0/0 0 0 0/0 0 0 0", false),
            ("65536 0 2 0/0 0 0 0/0 0 0 0/0 0 0 0", false),
        ] {
            let board = Classic.parse_board(text).expect("a board");
            let found = fast.best(Classic.awaiting_spawn(board), &[(1, 1.0)], u32::MAX);
            assert_eq!(found.is_some(), known, "{text}");
        }
    }
}
