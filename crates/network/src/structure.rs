use engine::Geometry;
use std::fmt;

/// Structures of 4x4 networks with names of their own: name, patterns, where they come from.
const NAMED: [(&str, &str); 8] = [
    // Wu, Yeh et al. 2014: the smallest strong one, and the default.
    ("4x6", "012345 456789 012456 45689a"),
    // The same with the last two rows.
    ("5x6", "012345 456789 89abcd 012456 45689a"),
    // Matsuzaki 2016: the best 6, 7 and 8 patterns of six cells.
    ("6x6", "012456 456789 012345 234569 01259a 345678"),
    ("7x6", "012456 456789 012345 234569 01259a 345678 134567"),
    (
        "8x6",
        "012456 456789 012345 234569 01259a 345678 134567 01489a",
    ),
    // Both straight lines and the three squares.
    ("5x4", "0123 4567 0145 1256 569a"),
    // The patterns of 4x6 less a cell each.
    ("4x5", "01234 45678 01245 45689"),
    // Szubert and Jaskowski 2014: every line and square with a table of its own, without symmetries.
    (
        "17x4",
        "0123 4567 89ab cdef 048c 159d 26ae 37bf 0145 1256 2367 4589 569a 67ab 89cd 9ade abef asymmetric",
    ),
];

/// The word, the last of its text, that says that a structure's patterns are not looked up under symmetries.
const ASYMMETRIC: &str = "asymmetric";

/// More patterns than any published network has; keeps look-ups within a fixed buffer.
pub(crate) const MAX_PATTERNS: usize = 64;

/// The patterns of an n-tuple network, on a board of some geometry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Structure {
    geometry: Geometry,
    patterns: Vec<Vec<u8>>,
    symmetric: bool,
}

/// Why a text describes no structure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StructureError {
    /// No pattern at all, or too many.
    #[error("{0} patterns given, expected 1 to {MAX_PATTERNS}, such as '012345 456789', or a name: {names}", names = names())]
    Count(usize),
    /// A character that is no cell, on this board.
    #[error(
        "pattern '{pattern}' has '{digit}', but the cells of a {geometry} board are 0 to {last}, row by row (patterns are base-36 digits such as '012345', or one of the names {names} on a 4x4 board)", names = names()
    )]
    Cell {
        /// The pattern.
        pattern: String,
        /// The character that is no cell.
        digit: char,
        /// The board.
        geometry: Geometry,
        /// The digit of the last cell.
        last: char,
    },
    /// The same cell twice.
    #[error("pattern '{pattern}' has cell '{digit}' twice, a pattern is a set of cells")]
    Repeated {
        /// The pattern.
        pattern: String,
        /// The repeated cell.
        digit: char,
    },
    /// A name that stands for patterns of another board.
    #[error(
        "'{0}' is a structure for 4x4 boards, the board is {1}: give patterns of its cells, or none for the default"
    )]
    OtherBoard(String, Geometry),
}

fn names() -> String {
    NAMED.map(|(name, _)| name).join(", ")
}

impl Structure {
    /// Reads the text of a structure: patterns separated by spaces or commas, or names that stand for some (`4x6`, `5x6`,
    /// `6x6`, `7x6`, `8x6`, `5x4`, `4x5`, `17x4`, on 4x4 boards). A pattern lists its cells as base-36 digits, row by row
    /// from 0 at the top left. A word `asymmetric` turns symmetric look-ups off.
    ///
    /// # Errors
    /// When there is no pattern or a pattern is not a set of cells of the board.
    pub fn parse(text: &str, geometry: Geometry) -> Result<Structure, StructureError> {
        let mut words = Vec::new();
        for word in text.split(|c: char| c == ',' || c.is_whitespace()) {
            match NAMED.iter().find(|(name, _)| *name == word) {
                Some(_) if (geometry.rows, geometry.columns) != (4, 4) => {
                    return Err(StructureError::OtherBoard(word.to_owned(), geometry));
                }
                Some((_, patterns)) => words.extend(patterns.split(' ')),
                None if word.is_empty() => {}
                None => words.push(word),
            }
        }
        let symmetric = !words.contains(&ASYMMETRIC);
        words.retain(|word| *word != ASYMMETRIC);
        if words.is_empty() || words.len() > MAX_PATTERNS {
            return Err(StructureError::Count(words.len()));
        }
        let patterns = words.into_iter().map(|word| parse_pattern(word, geometry));
        Ok(Structure {
            geometry,
            patterns: patterns.collect::<Result<_, _>>()?,
            symmetric,
        })
    }

    /// The structure that is used when none is asked for: `4x6` on 4x4 boards, elsewhere every 2x3 and 3x2
    /// rectangle that is not the image of another, or the whole board where none fits.
    pub fn default_for(geometry: Geometry) -> Structure {
        let Geometry { rows, columns } = geometry;
        if let (4, 4, Ok(structure)) = (rows, columns, Structure::parse("4x6", geometry)) {
            return structure;
        }
        let mut patterns: Vec<Vec<u8>> = Vec::new();
        for (height, width) in [(2, 3), (3, 2)] {
            for (top, left) in (0..=rows.saturating_sub(height))
                .flat_map(|top| (0..=columns.saturating_sub(width)).map(move |left| (top, left)))
                .filter(|_| height <= rows && width <= columns)
            {
                let cells: Vec<u8> = (0..height * width)
                    .map(|i| ((top + i / width) * columns + left + i % width) as u8)
                    .collect();
                if !patterns
                    .iter()
                    .any(|known| images(known, geometry).contains(&sorted(cells.clone())))
                {
                    patterns.push(cells);
                }
            }
        }
        if patterns.is_empty() {
            patterns.push((0..geometry.cells() as u8).collect());
        }
        Structure {
            geometry,
            patterns,
            symmetric: true,
        }
    }

    /// The board that the patterns are for.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The cells of each pattern.
    pub fn patterns(&self) -> &[Vec<u8>] {
        &self.patterns
    }

    /// Whether patterns are looked up under all symmetries of the board.
    pub fn symmetric(&self) -> bool {
        self.symmetric
    }

    /// The tables of cells, one a symmetry, under which patterns are looked up; see
    /// [`Geometry::symmetries`].
    pub fn views(&self) -> Vec<Vec<usize>> {
        let mut views = self.geometry.symmetries();
        if !self.symmetric {
            views.truncate(1);
        }
        views
    }

    /// All patterns, which [`Structure::parse`] reads too, and which mean the same whatever names there are.
    pub fn spelled_out(&self) -> String {
        let text = |cells: &Vec<u8>| cells.iter().copied().map(digit_of).collect();
        let mut words: Vec<String> = self.patterns.iter().map(text).collect();
        if !self.symmetric {
            words.push(ASYMMETRIC.to_owned());
        }
        words.join(" ")
    }

    /// The look-ups that a value adds up, each the number of a pattern and of a view. Patterns are taken two by two, which
    /// suits the vector kernels: the views one after the other, of each the two patterns.
    pub(crate) fn lookups(&self) -> Vec<(usize, usize)> {
        let views = self.views().len();
        let numbers: Vec<usize> = (0..self.patterns.len()).collect();
        let of_pair = |pair: &[usize]| {
            let in_view = |view| pair.iter().map(move |&pattern| (pattern, view));
            (0..views).flat_map(in_view).collect::<Vec<_>>()
        };
        numbers.chunks(2).flat_map(of_pair).collect()
    }

    /// The number of look-ups a value adds up.
    pub fn features(&self) -> usize {
        self.patterns.len() * self.views().len()
    }
}

fn parse_pattern(pattern: &str, geometry: Geometry) -> Result<Vec<u8>, StructureError> {
    let mut cells = Vec::new();
    for digit in pattern.chars() {
        let cell = digit
            .to_digit(36)
            .filter(|&d| (d as usize) < geometry.cells());
        let cell = cell.ok_or_else(|| StructureError::Cell {
            pattern: pattern.to_owned(),
            digit,
            geometry,
            last: digit_of(geometry.cells() as u8 - 1),
        })? as u8;
        if cells.contains(&cell) {
            let pattern = pattern.to_owned();
            return Err(StructureError::Repeated { pattern, digit });
        }
        cells.push(cell);
    }
    Ok(cells)
}

fn digit_of(cell: u8) -> char {
    char::from_digit(u32::from(cell), 36).unwrap_or('?')
}

fn sorted(mut cells: Vec<u8>) -> Vec<u8> {
    cells.sort_unstable();
    cells
}

/// The sets of cells that a pattern covers under the symmetries of the board.
fn images(pattern: &[u8], geometry: Geometry) -> Vec<Vec<u8>> {
    let symmetries = geometry.symmetries();
    let image = |view: &Vec<usize>| {
        sorted(
            pattern
                .iter()
                .map(|&c| view[usize::from(c)] as u8)
                .collect(),
        )
    };
    symmetries.iter().map(image).collect()
}

impl fmt::Display for Structure {
    /// The text that [`Structure::parse`] reads: the name where it has one, else the patterns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.spelled_out();
        let square = (self.geometry.rows, self.geometry.columns) == (4, 4);
        let named = NAMED
            .iter()
            .find(|(_, patterns)| square && *patterns == text);
        f.write_str(named.map_or(&text, |(name, _)| name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: Geometry = Geometry {
        rows: 4,
        columns: 4,
    };
    const SMALL: Geometry = Geometry {
        rows: 3,
        columns: 3,
    };

    #[test]
    fn names_and_patterns_round_trip() {
        for (name, patterns) in NAMED {
            let structure = Structure::parse(name, SQUARE).expect(name);
            assert_eq!(structure.to_string(), name);
            assert_eq!(Structure::parse(patterns, SQUARE), Ok(structure.clone()));
            let (count, size) = name.split_once('x').expect("COUNTxSIZE");
            assert_eq!(
                structure.patterns().len(),
                count.parse::<usize>().expect("a count")
            );
            let size = size.parse::<usize>().expect("a size");
            assert!(structure.patterns().iter().all(|cells| cells.len() == size));
        }
        assert_eq!(
            Structure::parse("4x6", SQUARE).map(|s| s.features()),
            Ok(32)
        );
        assert_eq!(
            Structure::parse("17x4", SQUARE).map(|s| s.features()),
            Ok(17)
        );
        // Names go together, and with patterns.
        let both = Structure::parse("8x6,5x4 cdef", SQUARE).map(|s| s.spelled_out());
        let [eight, five] = [4, 5].map(|nth: usize| NAMED[nth].1);
        assert_eq!(both, Ok(format!("{eight} {five} cdef")));
        // On another board the same cells are other patterns, without a name.
        let large = Geometry {
            rows: 5,
            columns: 5,
        };
        for (_, patterns) in NAMED {
            let structure = Structure::parse(patterns, large).expect(patterns);
            assert_eq!(structure.to_string(), patterns);
        }
        let text = "fedcba 0 asymmetric";
        let structure = Structure::parse("  fedcba,0\n asymmetric ", SQUARE).expect(text);
        assert_eq!(structure.to_string(), text);
        assert_eq!(structure.features(), 2);
    }

    #[test]
    fn defaults_suit_the_board() {
        let text = |rows, columns| Structure::default_for(Geometry { rows, columns }).to_string();
        assert_eq!(text(4, 4), "4x6");
        assert_eq!(text(3, 3), "012345");
        assert_eq!(text(2, 2), "0123");
        assert_eq!(text(2, 3), "012345");
        assert_eq!(text(3, 2), "012345");
        assert_eq!(text(2, 5), "012567 123678");
        assert_eq!(text(5, 5), "012567 123678 567abc 678bcd");
    }

    #[test]
    fn what_is_no_pattern_is_named() {
        for (text, geometry, part) in [
            ("", SQUARE, "0 patterns given"),
            ("asymmetric", SQUARE, "0 patterns given"),
            (
                "012g",
                SQUARE,
                "'g', but the cells of a 4x4 board are 0 to f",
            ),
            ("9x9", SQUARE, "one of the names 4x6"),
            ("0123 8", SMALL, ""),
            ("0129", SMALL, "0 to 8"),
            ("0110", SQUARE, "cell '1' twice"),
            ("4x6", SMALL, "the board is 3x3"),
            ("0123 4x6", SMALL, "'4x6' is a structure for 4x4"),
            (&"0 ".repeat(65), SQUARE, "65 patterns"),
        ] {
            match Structure::parse(text, geometry) {
                Ok(structure) => assert!(part.is_empty(), "{text}: {structure}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(!part.is_empty() && error.contains(part), "{text}: {error}");
                }
            }
        }
    }
}
