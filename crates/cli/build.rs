//! Tells the program its git revision, for the provenance of models and reports.

use std::process::Command;

fn main() {
    let described = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12"])
        .output();
    let revision = match described {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        _ => "unknown".to_owned(),
    };
    println!("cargo::rustc-env=AFTERSTATE_REVISION={revision}");
    // Whatever makes the revision another, or the sources differ from it.
    for path in ["../../.git/HEAD", "../../.git/index", ".."] {
        println!("cargo::rerun-if-changed={path}");
    }
}
