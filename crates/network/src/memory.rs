//! Memory for tables: zeroed, shared among threads without locks, on huge pages where the system has them.
//!
//! Unsafe code behind safe functions, as in the vector kernels and nowhere else.

use memmap2::{MmapMut, MmapRaw};
use std::io;
use std::sync::atomic::AtomicU32;
#[cfg(test)]
use std::sync::atomic::Ordering::Relaxed;

/// Look-ups are scattered over hundreds of megabytes. On pages of 4 KiB nearly every one also misses the
/// processor's cache of page addresses; huge pages made training 1.25 times as fast.
const HUGE_PAGE: usize = 2 << 20;

/// A zeroed array of numbers that threads may read and write at any time.
pub(crate) struct Table {
    /// Raw, so that no Rust reference to the bytes exists but those of [`Table::cells`].
    map: MmapRaw,
    /// Bytes before the first huge page boundary, where the numbers begin.
    skipped: usize,
    len: usize,
}

impl Table {
    /// A table of `len` zeros. The system hands out the memory when it is first touched.
    ///
    /// # Errors
    /// When the system refuses that much memory.
    pub(crate) fn zeroed(len: u64) -> io::Result<Table> {
        let too_large = || io::Error::from(io::ErrorKind::OutOfMemory);
        let len = usize::try_from(len).map_err(|_| too_large())?;
        let bytes = len
            .checked_mul(size_of::<AtomicU32>())
            .ok_or_else(too_large)?;
        let padding = if bytes >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let mapped = bytes.checked_add(padding).ok_or_else(too_large)?;
        let map = MmapMut::map_anon(mapped.max(1))?;
        #[cfg(target_os = "linux")]
        if padding != 0 {
            // Only advice: without huge pages all works the same, slower.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let map = MmapRaw::from(map);
        let skipped = match padding {
            0 => 0,
            _ => map.as_ptr().align_offset(HUGE_PAGE).min(padding),
        };
        Ok(Table { map, skipped, len })
    }

    #[inline]
    pub(crate) fn cells(&self) -> &[AtomicU32] {
        let start = self.map.as_mut_ptr().wrapping_add(self.skipped);
        // SAFETY: the mapping is private to this table, lives as long as it, and holds `skipped` + 4 `len`
        // bytes, all initialised (zero, then whatever atomics stored). Its start is page-aligned and `skipped`
        // is 0 or reaches a huge page boundary, so the cells are aligned. The pointer is the mapping's own, not
        // derived from a reference, and all access goes through these atomics, so threads may share them.
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
            let table = Table::zeroed(len as u64).expect("memory");
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
        for len in [u64::MAX / 8, u64::MAX / 4, u64::MAX] {
            assert!(Table::zeroed(len).is_err());
        }
    }
}
