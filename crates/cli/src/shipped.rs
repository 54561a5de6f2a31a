//! The models that ship with the program.

use crate::agents;
use evaluation::AgentSpec;
use std::path::{Path, PathBuf};

/// What an agent means that names no value.
pub(crate) const DEFAULT: &str = "small";

/// Their names, which stand wherever a model may.
const NAMES: [&str; 1] = [DEFAULT];

/// The file of a shipped model, if that is the name of one and it is there: in `models` here, or of the folder that the program
/// was built in.
pub(crate) fn find(name: &Path) -> Option<PathBuf> {
    let name = NAMES.iter().find(|known| name == Path::new(known))?;
    let program = std::env::current_exe().unwrap_or_default();
    let folders = std::iter::once(Path::new("")).chain(program.ancestors());
    let mut files = folders.map(|folder| folder.join("models").join(format!("{name}.model")));
    files.find(|file| file.is_file())
}

/// Says that a shipped model is not there, if that is the name of one and there is no such file.
pub(crate) fn missing(name: &Path) -> Option<String> {
    let known = NAMES.iter().any(|known| name == Path::new(known));
    (known && !name.exists() && find(name).is_none()).then(|| {
        let name = name.display();
        format!("the model '{name}' that ships is in no folder `models`, neither here nor above the program: name another, or fetch {name}.model")
    })
}

/// Lets an agent whose kind takes a value, and which names none, take the shipped one.
pub(crate) fn add_default(mut spec: AgentSpec) -> AgentSpec {
    if evaluation::takes_value(&spec) && spec.option("value").is_none() {
        spec.options
            .insert(0, ("value".to_owned(), DEFAULT.to_owned()));
    }
    spec
}

/// The greedy player by the shipped model, if it is there.
pub(crate) fn player() -> Option<AgentSpec> {
    let name = Path::new(DEFAULT);
    find(name).map(|_| agents::greedy_of(name))
}
