//! Weights in little room, for models that ship.
//!
//! Each weight is rounded to the initial one + a whole number of steps, and that number is written less that of the same
//! weight in the stage before, so that what is unknown or inherited is 0. In natural order, 2^24 weights at a time, there
//! are two blocks: a bit for every weight that is not 0, then how many steps each of those is: 1, -1, 2, -2, ... as 1 to 253
//! in a byte, or 254 and two bytes, or 255 and four. Each is compressed with Zstandard, with its length before it in four
//! bytes.

use crate::kernel::Indexed;
use crate::ntuple::NTuple;
use std::sync::atomic::Ordering::Relaxed;

/// Weights in a pair of blocks.
const BLOCK: usize = 1 << 24;

/// The highest level but those that take hours for nothing.
const LEVEL: i32 = 19;

/// Stand before numbers of two and of four bytes.
const SHORT: u8 = 254;
const LONG: u8 = 255;

/// The most bytes that a number takes.
const MOST: usize = 5;

/// Rounds and packs all weights.
///
/// # Errors
/// When a weight cannot be rounded so.
pub(crate) fn encode<G: Indexed>(network: &NTuple<G>, step: f32) -> Result<Vec<u8>, String> {
    encode_by(network, step, BLOCK)
}

fn encode_by<G: Indexed>(network: &NTuple<G>, step: f32, block: usize) -> Result<Vec<u8>, String> {
    let rounded = |index: u32| {
        let weight = f32::from_bits(network.promoted(index));
        let steps = ((weight - network.initial_weight()) / step).round();
        let fits = steps.abs() < (1 << 24) as f32;
        fits.then_some(steps as i32).ok_or_else(|| {
            format!("a weight is {weight}, which cannot be rounded to steps of {step}")
        })
    };
    let mut packed = Vec::new();
    let (mut bits, mut codes, mut count) = (Vec::new(), Vec::new(), 0);
    network.visit_in_natural_order(|index| {
        let before = index.checked_sub(network.stage_entries());
        let steps = rounded(index)? - before.map_or(Ok(0), rounded)?;
        if count % 8 == 0 {
            bits.push(0);
        }
        if steps != 0 {
            bits[count / 8] |= 1 << (count % 8);
            push_steps(&mut codes, steps);
        }
        count += 1;
        if count == block {
            pack(&mut packed, &bits)?;
            pack(&mut packed, &codes)?;
            bits.clear();
            codes.clear();
            count = 0;
        }
        Ok::<_, String>(())
    })?;
    if count > 0 {
        pack(&mut packed, &bits)?;
        pack(&mut packed, &codes)?;
    }
    Ok(packed)
}

fn push_steps(codes: &mut Vec<u8>, steps: i32) {
    let code = 2 * steps.unsigned_abs() - u32::from(steps > 0);
    if code < u32::from(SHORT) {
        codes.push(code as u8);
    } else if let Ok(steps) = i16::try_from(steps) {
        codes.push(SHORT);
        codes.extend_from_slice(&steps.to_le_bytes());
    } else {
        codes.push(LONG);
        codes.extend_from_slice(&steps.to_le_bytes());
    }
}

fn pack(packed: &mut Vec<u8>, block: &[u8]) -> Result<(), String> {
    let block = zstd::bulk::compress(block, LEVEL).map_err(|error| error.to_string())?;
    packed.extend_from_slice(&(block.len() as u32).to_le_bytes());
    packed.extend_from_slice(&block);
    Ok(())
}

/// Unpacks all weights into a network that has its initial ones. Stages then have all weights that they inherit, since
/// they are for playing.
///
/// # Errors
/// When these are no weights of such a network.
pub(crate) fn decode<G: Indexed>(
    network: &NTuple<G>,
    step: f32,
    packed: &[u8],
) -> Result<(), String> {
    decode_by(network, step, packed, BLOCK)
}

fn decode_by<G: Indexed>(
    network: &NTuple<G>,
    step: f32,
    mut packed: &[u8],
    block: usize,
) -> Result<(), String> {
    let mut left = network.entries();
    let (mut bits, mut codes, mut nth) = (Vec::new(), Vec::new(), 0);
    let mut position = 0;
    let weights = network.weights().cells();
    network.visit_in_natural_order(|index| {
        if nth == 8 * bits.len() || nth == block {
            let count = left.min(block as u64) as usize;
            left -= count as u64;
            bits = unpack(&mut packed, count.div_ceil(8))?;
            if bits.len() != count.div_ceil(8) {
                return Err("a block is too short".to_owned());
            }
            let ones: usize = bits.iter().map(|byte| byte.count_ones() as usize).sum();
            if position != codes.len() {
                return Err("numbers are left over".to_owned());
            }
            codes = unpack(&mut packed, MOST * ones)?;
            (nth, position) = (0, 0);
        }
        let mut steps = 0;
        if bits[nth / 8] >> (nth % 8) & 1 == 1 {
            steps = read_code(&codes, &mut position).ok_or("numbers are missing")?;
        }
        nth += 1;
        let before = index.checked_sub(network.stage_entries());
        let before = before.map_or(network.initial_weight(), |before| {
            f32::from_bits(weights[before as usize].load(Relaxed))
        });
        weights[index as usize].store((before + steps as f32 * step).to_bits(), Relaxed);
        Ok(())
    })?;
    if position != codes.len() || !packed.is_empty() {
        return Err("numbers are left over".to_owned());
    }
    Ok(())
}

fn read_code(codes: &[u8], position: &mut usize) -> Option<i32> {
    let (&code, rest) = codes.get(*position..)?.split_first()?;
    let (steps, bytes) = match code {
        SHORT => (i32::from(i16::from_le_bytes(*rest.first_chunk()?)), 2),
        LONG => (i32::from_le_bytes(*rest.first_chunk()?), 4),
        _ => {
            let magnitude = i32::from(code.div_ceil(2));
            (if code % 2 == 1 { magnitude } else { -magnitude }, 0)
        }
    };
    *position += 1 + bytes;
    Some(steps)
}

/// The next block, of at most so many bytes.
fn unpack(packed: &mut &[u8], most: usize) -> Result<Vec<u8>, String> {
    let block = packed
        .split_first_chunk()
        .and_then(|(length, rest)| rest.split_at_checked(u32::from_le_bytes(*length) as usize));
    let (block, rest) = block.ok_or("a block is cut short")?;
    *packed = rest;
    zstd::bulk::decompress(block, most).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Structure;
    use engine::{Classic, Game};

    fn network() -> NTuple<Classic> {
        let structure = Structure::parse("01 4", Classic.rules().geometry()).expect("patterns");
        NTuple::new(&Classic, structure).expect("small")
    }

    fn weights(network: &NTuple<Classic>) -> Vec<f32> {
        let cells = network.weights().cells().iter();
        cells
            .map(|cell| f32::from_bits(cell.load(Relaxed)))
            .collect()
    }

    /// With steps of every length, and more blocks than one, the last of them not whole.
    #[test]
    fn all_numbers_of_steps_come_back() {
        let learned = network();
        let mut steps = Vec::new();
        for n in 0..learned.entries() as i32 {
            let sizes = [
                0,
                n,
                -n,
                0,
                126,
                -126,
                127,
                -127,
                32_767,
                -32_768,
                32_768,
                -32_769,
                1 << 23,
            ];
            steps.push(sizes[n as usize % sizes.len()]);
        }
        for (cell, steps) in learned.weights().cells().iter().zip(&steps) {
            cell.store((*steps as f32 * 0.5).to_bits(), Relaxed);
        }
        for block in [BLOCK, 100, 8] {
            let packed = encode_by(&learned, 0.5, block).expect("finite");
            let unpacked = network();
            decode_by(&unpacked, 0.5, &packed, block).expect("our own");
            assert_eq!(weights(&unpacked), weights(&learned));
        }
    }

    #[test]
    fn what_no_network_packs_is_refused() {
        let bits = |bytes: usize, first: u8| {
            let mut bits = vec![0; bytes];
            bits[0] = first;
            bits
        };
        let packed = |blocks: &[&[u8]]| {
            let mut packed = Vec::new();
            for block in blocks {
                pack(&mut packed, block).expect("packed");
            }
            packed
        };
        // 256 + 16 weights: 34 bytes of bits.
        let decoded = |packed: &[u8]| decode(&network(), 1.0, packed);
        assert_eq!(decoded(&packed(&[&bits(34, 3), &[1, 254, 1, 0]])), Ok(()));
        for (bytes, reason) in [
            (packed(&[&bits(33, 0), &[]]), "too short"),
            (packed(&[&[], &[]]), "too short"),
            (packed(&[&bits(34, 3), &[1]]), "missing"),
            (packed(&[&bits(34, 1), &[254, 1]]), "missing"),
            (packed(&[&bits(34, 1), &[255, 1, 2, 3]]), "missing"),
            (packed(&[&bits(34, 1), &[1, 1]]), "left over"),
            (packed(&[&bits(34, 1), &[1], &[]]), "left over"),
            (packed(&[&bits(34, 1)]), "cut short"),
            (vec![255, 255, 255, 255, 0], "cut short"),
            (Vec::new(), "cut short"),
        ] {
            let error = decoded(&bytes).expect_err(reason);
            assert!(error.contains(reason), "{reason}: {error}");
        }
        // Longer than it can be, and no frame at all.
        assert!(decoded(&packed(&[&bits(35, 0), &[]])).is_err());
        assert!(decoded(&[4, 0, 0, 0, 1, 2, 3, 4]).is_err());
    }
}
