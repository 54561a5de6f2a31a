//! Weights in little room, for models that ship.
//!
//! Each weight is rounded to the initial one + a whole number of steps, and that number is written less that of the same
//! weight in the stage before, so that what is unknown or inherited is 0. In natural order, 2^24 weights at a time, there
//! are two blocks: a bit for every weight that is not 0, then how many steps each of those is: 1, -1, 2, -2, ... as 1 to 254
//! in a byte, anything farther as 255 and four bytes. Each is compressed with Zstandard, with its length before it in four
//! bytes.

use crate::kernel::Indexed;
use crate::ntuple::NTuple;
use std::sync::atomic::Ordering::Relaxed;

/// Weights in a pair of blocks.
const WEIGHTS: usize = 1 << 24;

/// The highest level but those that take hours for nothing.
const LEVEL: i32 = 19;

/// Stands before a number that a byte cannot hold.
const ESCAPE: u8 = u8::MAX;

/// Rounds and packs all weights.
///
/// # Errors
/// When a weight cannot be rounded so.
pub(crate) fn encode<G: Indexed>(network: &NTuple<G>, step: f32) -> Result<Vec<u8>, String> {
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
            match code(steps) {
                code @ 1..=254 => codes.push(code as u8),
                _ => {
                    codes.push(ESCAPE);
                    codes.extend_from_slice(&steps.to_le_bytes());
                }
            }
        }
        count += 1;
        if count == WEIGHTS {
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

/// 1, 2, 3, 4, ... for 1, -1, 2, -2, ...
fn code(steps: i32) -> u32 {
    2 * steps.unsigned_abs() - u32::from(steps > 0)
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
    mut packed: &[u8],
) -> Result<(), String> {
    let mut left = network.entries();
    let (mut bits, mut codes, mut nth) = (Vec::new(), Vec::new(), 0);
    let mut position = 0;
    let weights = network.weights().cells();
    network.visit_in_natural_order(|index| {
        if nth == 8 * bits.len() {
            let count = left.min(WEIGHTS as u64) as usize;
            left -= count as u64;
            bits = unpack(&mut packed, count.div_ceil(8))?;
            let ones: usize = bits.iter().map(|byte| byte.count_ones() as usize).sum();
            if position != codes.len() {
                return Err("numbers are left over".to_owned());
            }
            codes = unpack(&mut packed, 5 * ones)?;
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
    let code = *codes.get(*position)?;
    *position += 1;
    if code != ESCAPE {
        let magnitude = i32::from(code.div_ceil(2));
        return Some(if code % 2 == 1 { magnitude } else { -magnitude });
    }
    let bytes = codes.get(*position..)?.first_chunk()?;
    *position += 4;
    Some(i32::from_le_bytes(*bytes))
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
