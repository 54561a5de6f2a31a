//! The speed of search on the usual positions: `cargo bench -p afterstate-evaluation`. `afterstate bench` measures any
//! agent, learned values too.

use divan::{Bencher, black_box, counter::ItemsCount};
use engine::Classic;
use evaluation::{AgentSpec, AnyValue, Files, Registry, SpecError, positions};
use std::sync::Arc;

fn main() {
    divan::main();
}

/// For agents that need no files.
struct NoFiles;

impl Files<Classic> for NoFiles {
    fn value(&self, path: &str) -> Result<AnyValue<Classic>, SpecError> {
        panic!("no agent of this bench asks for {path}")
    }

    fn settings(&self, path: &str) -> Result<String, SpecError> {
        panic!("no agent of this bench asks for {path}")
    }
}

/// Decisions.
#[divan::bench(args = [
    "greedy:value=rowtable",
    "expectimax:value=rowtable,depth=2",
    "expectimax:value=rowtable,depth=3",
    "expectimax:value=heuristic,depth=2",
    "expectimax:value=zero,depth=2",
])]
fn decide(bencher: Bencher, agent: &str) {
    let spec: AgentSpec = agent.parse().expect("a spec");
    let registry = Registry::new(Classic, &NoFiles, Arc::default());
    let mut agent = registry.maker(&spec).expect("an agent")();
    let boards = positions(&Classic, None).expect("the usual positions");
    bencher
        .counter(ItemsCount::new(boards.len()))
        .bench_local(|| {
            for &board in &boards {
                black_box(agent.decide(black_box(board)));
            }
        });
}
