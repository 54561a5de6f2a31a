use crate::compact;
use crate::file::{FileError, MAX_STATE, Reader, Writer};
use crate::kernel::{Indexed, table_starts};
use crate::{CoherenceSums, NTuple, Stages, Structure};
use engine::{Objective, Rules};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// What a model file says about its tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelHeader {
    /// What the values mean.
    pub objective: Objective,
    /// The game that it was trained on.
    pub rules: Rules,
    /// The patterns, as [`Structure::parse`] reads them.
    pub structure: String,
    /// The number of ranks that a table distinguishes.
    pub radix: u32,
    /// The stages of the game that have tables of their own.
    pub stages: Stages,
    /// What every afterstate was worth before anything was learned.
    pub initial_value: f32,
    /// How the weights are written.
    pub encoding: Encoding,
    /// Whether the sums of temporal coherence follow the weights.
    pub coherent: bool,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// How a file holds weights.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Encoding {
    /// As they are, four bytes each.
    Plain,
    /// Rounded to steps of this size from the initial weight, and packed into so many bytes.
    Compact {
        /// The size of a step.
        step: f32,
        /// The bytes.
        bytes: u64,
    },
}

/// What it takes to make a model again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// Its git revision.
    pub revision: String,
    /// The command line.
    pub command: String,
    /// The processor trained on.
    pub processor: String,
    /// The number of training threads.
    pub threads: usize,
    /// The seed.
    pub seed: u64,
    /// The whole configuration, as TOML.
    pub config: String,
    /// Games trained.
    pub games: u64,
    /// Moves trained.
    pub moves: u64,
    /// Seconds trained.
    pub seconds: f64,
}

/// Saves a network that was trained by some rules. With `sums` and a non-empty `state` (opaque to this crate) the
/// file is a checkpoint, which can be played from like any model. Returns the checksum of the tables, which
/// identifies what was learned.
///
/// # Errors
/// When the file cannot be written; an older one is then untouched.
pub fn save<G: Indexed>(
    path: &Path,
    network: &NTuple<G>,
    rules: &Rules,
    provenance: Provenance,
    sums: Option<&CoherenceSums>,
    state: &[u8],
) -> Result<u64, FileError> {
    let header = ModelHeader {
        coherent: sums.is_some(),
        ..header_of(network, rules, provenance)
    };
    Writer::write(path, &encode(path, &header)?, state, |writer| {
        let weights = network.weights().cells();
        network
            .visit_in_natural_order(|index| writer.push(weights[index as usize].load(Relaxed)))?;
        let Some(sums) = sums else { return Ok(()) };
        network.visit_in_natural_order(|index| {
            let [sum, absolute] = sums.pair(index);
            writer.push(sum.load(Relaxed))?;
            writer.push(absolute.load(Relaxed))
        })
    })
}

/// Saves a network for playing in little room: its weights are rounded to the initial one + a whole number of steps (in
/// points of score), and packed. Returns the checksum of what was packed.
///
/// # Errors
/// When the step does not suit the weights, or the file cannot be written; an older one is then untouched.
pub fn save_compact<G: Indexed>(
    path: &Path,
    network: &NTuple<G>,
    rules: &Rules,
    provenance: Provenance,
    step: f32,
) -> Result<u64, FileError> {
    let packed = compact::encode(network, step).map_err(|reason| FileError::Rounding {
        path: path.to_owned(),
        reason,
    })?;
    let header = ModelHeader {
        encoding: Encoding::Compact {
            step,
            bytes: packed.len() as u64,
        },
        ..header_of(network, rules, provenance)
    };
    Writer::write(path, &encode(path, &header)?, &[], |writer| {
        writer.push_bytes(&packed)
    })
}

fn header_of<G: Indexed>(
    network: &NTuple<G>,
    rules: &Rules,
    provenance: Provenance,
) -> ModelHeader {
    ModelHeader {
        objective: Objective::Score,
        rules: rules.clone(),
        structure: network.structure().spelled_out(),
        radix: network.radix(),
        stages: network.stages().clone(),
        initial_value: network.initial_value(),
        encoding: Encoding::Plain,
        coherent: false,
        provenance,
    }
}

fn encode(path: &Path, header: &ModelHeader) -> Result<Vec<u8>, FileError> {
    let encoded = bincode::serde::encode_to_vec(header, bincode::config::standard());
    encoded.map_err(|error| FileError::Write {
        path: path.to_owned(),
        source: std::io::Error::other(error),
    })
}

/// A model or checkpoint file of which the header has been read.
pub struct ModelFile {
    reader: Reader,
    header: ModelHeader,
    structure: Structure,
}

impl ModelFile {
    /// Opens a file and reads its header. Whether the rest is sound shows when it is loaded.
    ///
    /// # Errors
    /// When the file cannot be read, is no model, or is not as long as its header says.
    pub fn open(path: &Path) -> Result<ModelFile, FileError> {
        let mut reader = Reader::open(path)?;
        let header: ModelHeader =
            decode(&reader.header).map_err(|reason| reader.bad_header(reason))?;
        header
            .rules
            .validate()
            .map_err(|error| reader.bad_header(error))?;
        if header.objective != Objective::Score {
            let objective = header.objective;
            return Err(reader.bad_header(format!(
                "its values are of the objective '{objective}', expected score"
            )));
        }
        let structure = Structure::parse(&header.structure, header.rules.geometry())
            .map_err(|error| reader.bad_header(error))?;
        let starts = table_starts(&structure, header.radix);
        let stages = header.stages.count() as u64;
        let entries = starts[starts.len() - 1].saturating_mul(stages);
        let numbers = entries.saturating_mul(if header.coherent { 3 } else { 1 });
        let bytes = match header.encoding {
            Encoding::Plain => numbers.saturating_mul(4),
            Encoding::Compact { .. } if header.coherent || !reader.state.is_empty() => {
                return Err(reader.bad_header("a compact model cannot be a checkpoint"));
            }
            Encoding::Compact { step, .. } if !step.is_finite() || step <= 0.0 => {
                return Err(reader.bad_header(format!("its weights have steps of {step}")));
            }
            Encoding::Compact { bytes, .. } => bytes,
        };
        if !header.initial_value.is_finite() {
            let value = header.initial_value;
            return Err(reader.bad_header(format!("its initial value is {value}")));
        }
        // The sum of such a claim's bytes must not overflow; no file is that long either.
        reader.expect_bytes(bytes.min(u64::MAX / 2))?;
        Ok(ModelFile {
            reader,
            header,
            structure,
        })
    }

    /// What the file says about itself.
    pub fn header(&self) -> &ModelHeader {
        &self.header
    }

    /// Whether the file holds the state of training.
    pub fn is_checkpoint(&self) -> bool {
        !self.reader.state.is_empty()
    }

    /// Decodes the state of training.
    ///
    /// # Errors
    /// When there is none, or it is no such state.
    pub fn state<S: DeserializeOwned>(&self) -> Result<S, FileError> {
        if !self.is_checkpoint() {
            return Err(
                self.unsuitable("it is a model, not a checkpoint: training cannot go on from it")
            );
        }
        decode(&self.reader.state).map_err(|reason| self.reader.bad_header(reason))
    }

    /// Reads the network, and gives the checksum of the file's tables: that of a model identifies its weights.
    ///
    /// # Errors
    /// When the file is damaged, or is for boards of another size than the game's.
    pub fn load<G: Indexed>(mut self, game: &G) -> Result<(NTuple<G>, u64), FileError> {
        if let Encoding::Compact { step, .. } = self.header.encoding {
            return self.unpack(game, step);
        }
        let network = self.read_network(game)?;
        self.reader.skip_rest()?;
        Ok((network, self.reader.check_tables()?))
    }

    /// Reads a compact network. It is known to be what was written before anything is unpacked or made room for.
    fn unpack<G: Indexed>(mut self, game: &G, step: f32) -> Result<(NTuple<G>, u64), FileError> {
        let packed = self.reader.rest()?;
        let hash = self.reader.check_tables()?;
        let network = self.new_network(game)?;
        let unpacked = compact::decode(&network, step, &packed);
        unpacked.map_err(|reason| FileError::Content {
            path: self.reader.path.clone(),
            reason,
        })?;
        Ok((network, hash))
    }

    /// Reads the network and, if the file has them, the sums of temporal coherence.
    ///
    /// # Errors
    /// As for [`ModelFile::load`].
    pub fn load_for_training<G: Indexed>(
        mut self,
        game: &G,
    ) -> Result<(NTuple<G>, Option<CoherenceSums>), FileError> {
        let network = self.read_network(game)?;
        let mut sums = None;
        if self.header.coherent {
            let read = network
                .coherence_sums()
                .map_err(|error| self.unsuitable(error))?;
            network.visit_in_natural_order(|index| {
                for number in read.pair(index) {
                    number.store(self.reader.next()?, Relaxed);
                }
                Ok(())
            })?;
            sums = Some(read);
        }
        self.reader.check_tables()?;
        Ok((network, sums))
    }

    fn read_network<G: Indexed>(&mut self, game: &G) -> Result<NTuple<G>, FileError> {
        let network = self.new_network(game)?;
        let weights = network.weights().cells();
        network.visit_in_natural_order(|index| {
            weights[index as usize].store(self.reader.next()?, Relaxed);
            Ok(())
        })?;
        Ok(network)
    }

    /// The network before anything is read of it.
    fn new_network<G: Indexed>(&self, game: &G) -> Result<NTuple<G>, FileError> {
        let (structure, stages) = (self.structure.clone(), self.header.stages.clone());
        let network = NTuple::with_radix(game, structure, stages, self.header.radix);
        let mut network = network.map_err(|error| self.unsuitable(error))?;
        if self.header.initial_value != 0.0 {
            network.fill(self.header.initial_value);
        }
        Ok(network)
    }

    fn unsuitable(&self, reason: impl ToString) -> FileError {
        FileError::Unsuitable {
            path: self.reader.path.clone(),
            reason: reason.to_string(),
        }
    }
}

/// Decodes bytes of which nothing may be left over.
fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let config = bincode::config::standard().with_limit::<MAX_STATE>();
    match bincode::serde::decode_from_slice(bytes, config) {
        Ok((value, read)) if read == bytes.len() => Ok(value),
        Ok((_, read)) => Err(format!("{} bytes are left over", bytes.len() - read)),
        Err(_) => Err("it cannot be decoded".to_owned()),
    }
}
