//! All slides of all rows, worked out by the compiler.

/// The reward of a row whose slide makes a 65536 tile, which four bits cannot hold. More than any board's true
/// reward in nibbles (8 merges to 32768), and low enough that four rows do not overflow.
pub(super) const BEYOND_NIBBLES: u32 = 1 << 28;

/// A row's two slides. Both merge the same pairs' worth of tiles, so they share the reward.
#[derive(Clone, Copy)]
struct Row {
    towards_low: u16,
    towards_high: u16,
    reward: u32,
}

/// A board's slides along its rows.
pub(super) struct Slides {
    /// The board slid towards the first cell of each row.
    pub(super) towards_low: u64,
    /// The board slid towards the last cell of each row.
    pub(super) towards_high: u64,
    /// The sum of merged tiles; [`BEYOND_NIBBLES`] or more if the boards are not right.
    pub(super) reward: u32,
}

static ROWS: [Row; 1 << 16] = all_rows();

#[inline]
pub(super) fn slide(nibbles: u64) -> Slides {
    let mut slides = Slides {
        towards_low: 0,
        towards_high: 0,
        reward: 0,
    };
    for shift in [0, 16, 32, 48] {
        let row = &ROWS[(nibbles >> shift) as u16 as usize];
        slides.towards_low |= u64::from(row.towards_low) << shift;
        slides.towards_high |= u64::from(row.towards_high) << shift;
        slides.reward += row.reward;
    }
    slides
}

const fn all_rows() -> [Row; 1 << 16] {
    let mut rows = [Row {
        towards_low: 0,
        towards_high: 0,
        reward: 0,
    }; 1 << 16];
    let mut row = 0;
    while row < 1 << 16 {
        let (towards_low, reward) = slide_row(row as u16);
        let (mirrored, _) = slide_row(mirror(row as u16));
        rows[row] = Row {
            towards_low,
            towards_high: mirror(mirrored),
            reward,
        };
        row += 1;
    }
    rows
}

const fn mirror(row: u16) -> u16 {
    let swapped = row.swap_bytes();
    (swapped >> 4 & 0x0f0f) | (swapped & 0x0f0f) << 4
}

const fn slide_row(row: u16) -> (u16, u32) {
    let mut result = 0;
    let mut reward = 0;
    let mut length = 0;
    let mut waiting = 0; // the last tile, while it may still merge; 0 if there is none
    let mut shift = 0;
    while shift < 16 {
        let rank = row >> shift & 15;
        shift += 4;
        if rank == 0 {
            continue;
        }
        if rank == waiting {
            // The tile stands at length - 1 already: raise its rank by one.
            if rank == 15 {
                return (0, BEYOND_NIBBLES);
            } else {
                result += 1 << (4 * (length - 1));
                reward += 2 << rank;
            }
            waiting = 0;
        } else {
            result |= rank << (4 * length);
            length += 1;
            waiting = rank;
        }
    }
    (result, reward)
}
