//! Memory for tables: zeroed, shared among threads without locks, on huge pages where the system has them.
//!
//! The only unsafe code of the project is here, behind safe functions.

use memmap2::MmapMut;
use std::io;
use std::sync::atomic::AtomicU32;
#[cfg(test)]
use std::sync::atomic::Ordering::Relaxed;

/// Look-ups are scattered over hundreds of megabytes. On pages of 4 KiB nearly every one also misses the
/// processor's cache of page addresses; huge pages made training 1.25 times as fast.
const HUGE_PAGE: usize = 2 << 20;

/// A zeroed array of numbers that threads may read and write at any time.
pub(crate) struct Table {
    map: MmapMut,
    /// Bytes before the first huge page boundary, where the numbers begin.
    skipped: usize,
    len: usize,
}

impl Table {
    /// A table of `len` zeros. The system hands out the memory when it is first touched.
    ///
    /// # Errors
    /// When the system refuses that much memory.
    pub(crate) fn zeroed(len: usize) -> io::Result<Table> {
        let bytes = len.checked_mul(size_of::<AtomicU32>());
        let bytes = bytes.ok_or(io::ErrorKind::OutOfMemory)?;
        let padding = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let map = MmapMut::map_anon((bytes + padding).max(1))?;
        #[cfg(target_os = "linux")]
        if padding != 0 {
            // Only advice: without huge pages all works the same, slower.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let skipped = match padding {
            0 => 0,
            _ => map.as_ptr().align_offset(HUGE_PAGE).min(padding),
        };
        Ok(Table { map, skipped, len })
    }

    #[inline]
    pub(crate) fn cells(&self) -> &[AtomicU32] {
        let start = self.map.as_ptr().wrapping_add(self.skipped);
        // SAFETY: the mapping is private to this table, lives as long as it, and holds `skipped` + 4 `len`
        // bytes, all initialised (zero, then whatever atomics stored). Its start is page-aligned and `skipped`
        // is 0 or reaches a huge page boundary, so the cells are aligned. No other reference to the bytes is
        // ever made, and all access goes through atomics, so threads may share them.
        #[allow(unsafe_code)]
        unsafe {
            std::slice::from_raw_parts(start.cast::<AtomicU32>(), self.len)
        }
    }

    /// Asks the processor to fetch a number that will be used soon.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let address = self.cells().as_ptr().wrapping_add(index);
            // SAFETY: a prefetch only moves data into caches; of an address that is not mapped it does nothing.
            #[allow(unsafe_code)]
            unsafe {
                _mm_prefetch::<_MM_HINT_T0>(address.cast::<i8>());
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_all_sizes_are_zeroed_writable_and_aligned() {
        for len in [0, 1, 1000, (2 << 20) / 4 - 1, (2 << 20) / 4, 3_000_000] {
            let table = Table::zeroed(len).expect("memory");
            assert_eq!(table.cells().len(), len);
            assert!(table.cells().iter().all(|cell| cell.load(Relaxed) == 0));
            for (cell, value) in table.cells().iter().zip(1..) {
                cell.store(value, Relaxed);
            }
            let written = table.cells().iter().map(|cell| cell.load(Relaxed));
            assert!(written.eq(1..=len as u32));
            if len * 4 >= HUGE_PAGE {
                assert_eq!(table.cells().as_ptr() as usize % HUGE_PAGE, 0);
            }
            table.prefetch(0);
            table.prefetch(len);
        }
        assert!(Table::zeroed(usize::MAX / 8).is_err());
    }
}
