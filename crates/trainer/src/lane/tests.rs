use super::*;
use crate::{Schedule, StepSizeRule};
use crate::{Target, Updates};
use engine::{Classic, ClassicAfterstate, Game, ValueFunction, best_move, game_rng};
use network::Structure;

fn step_size(rule: StepSizeRule, alpha: f32, network: &NTuple<Classic>) -> StepSize {
    StepSize::new(rule, Schedule::Constant(alpha), network).expect("small")
}

/// Game `number` at its start.
fn start(
    network: &NTuple<Classic>,
    number: u64,
    step_size: &StepSize,
    target: Target,
    updates: Updates,
) -> Lane<Classic> {
    let method = Method {
        returns: target.returns(),
        updates,
        restarts: 0.0,
    };
    Lane::start(
        network,
        number,
        game_rng(1, number),
        step_size.at(0.0),
        method,
    )
}

/// A target by its definition, from the rewards and values of the moves after an afterstate; `ends` if there are no more.
fn defined(target: Target, after: &[(f32, f32)], ends: bool) -> f32 {
    let span = target.returns().steps;
    // The return of 1, 2, 3, ... moves, the last the same for all that reach beyond the end.
    let of_moves = |moves: usize| {
        let rewards: f32 = after.iter().take(moves).map(|(reward, _)| reward).sum();
        match after.get(moves - 1) {
            Some((_, value)) => rewards + value,
            None => {
                assert!(ends);
                rewards
            }
        }
    };
    match target {
        Target::Td | Target::Steps(_) => of_moves(span),
        Target::Lambda(lambda) => {
            let lambda = lambda as f32;
            let shorter =
                (1..span).map(|n| (1.0 - lambda) * lambda.powi(n as i32 - 1) * of_moves(n));
            shorter.sum::<f32>() + lambda.powi(span as i32 - 1) * of_moves(span)
        }
    }
}

fn assert_close(found: f32, expected: f32) {
    assert!(
        (found - expected).abs() <= 1e-3 * expected.abs().max(1.0),
        "{found}, not {expected}"
    );
}

const ALPHA: f32 = 0.25;

/// No weight is shared by two features of a value, which then moves by alpha x error.
fn small_network() -> NTuple<Classic> {
    let structure = Structure::parse("0123 4567 0145 asymmetric", Classic.rules().geometry());
    NTuple::new(&Classic, structure.expect("patterns")).expect("small")
}

const TARGETS: [Target; 4] = [
    Target::Td,
    Target::Steps(3),
    Target::Lambda(0.3),
    Target::Lambda(0.8),
];

/// The fused choice of [`Lane::step`] is the depth-1 choice that agents make, and each update moves the value of an
/// earlier afterstate by alpha x error.
#[test]
fn a_step_plays_the_greedy_move_and_corrects_an_earlier_one() {
    for target in TARGETS {
        let network = small_network();
        let step_size = step_size(StepSizeRule::Constant, ALPHA, &network);
        let span = target.returns().steps;
        let mut updates = 0;
        for number in 0..20 {
            let mut lane = start(&network, number, &step_size, target, Updates::Forward);
            // Afterstates and rewards of the moves that wait for their targets.
            let mut waiting: Vec<(ClassicAfterstate, f32)> = Vec::new();
            loop {
                let board = lane.episode.board;
                let chosen = best_move(&Classic, board, &network);
                let Some((direction, values)) = chosen else {
                    break;
                };
                let (afterstate, merged) = Classic.slide(board, direction).expect("legal");
                waiting.push((afterstate, merged as f32));
                assert_close(
                    values[direction as usize].expect("legal"),
                    merged as f32 + network.value(afterstate),
                );
                let after: Vec<(f32, f32)> = { waiting[1..].iter() }
                    .map(|(afterstate, reward)| (*reward, network.value(*afterstate)))
                    .collect();
                let before = network.value(waiting[0].0);
                assert!(lane.step(&network, &step_size, None).is_none());
                if waiting.len() > span {
                    let (corrected, _) = waiting.remove(0);
                    let expected = before + ALPHA * (defined(target, &after, false) - before);
                    assert_close(network.value(corrected), expected);
                    updates += 1;
                }
            }
            let finished = lane.step(&network, &step_size, None).expect("the end");
            assert_eq!(finished.moves, lane.episode.moves);
        }
        assert!(updates > 1_000);
    }
}

/// With a step size of 1 what is learned last stays exactly: after the last move comes nothing.
#[test]
fn the_last_move_of_a_game_is_worth_nothing() {
    for target in TARGETS {
        let mut network = small_network();
        network.fill(1_000.0);
        let step_size = step_size(StepSizeRule::Constant, 1.0, &network);
        for number in 0..5 {
            let mut lane = start(&network, number, &step_size, target, Updates::Forward);
            let mut last = None;
            while let Some((direction, _)) = best_move(&Classic, lane.episode.board, &network) {
                last = Classic.slide(lane.episode.board, direction);
                assert!(lane.step(&network, &step_size, None).is_none());
            }
            let (last, _) = last.expect("a move");
            let before = network.value(last);
            assert!(lane.step(&network, &step_size, None).is_some());
            let after = network.value(last);
            assert!(after.abs() <= 1e-3 * before.abs(), "{after} {before}");
        }
    }
}

#[test]
fn backward_learning_goes_from_the_last_move_to_the_first() {
    for target in TARGETS {
        let network = small_network();
        let step_size = step_size(StepSizeRule::Constant, ALPHA, &network);
        let span = target.returns().steps;
        for number in 0..20 {
            let mut lane = start(&network, number, &step_size, target, Updates::Backward);
            let mut moves: Vec<(ClassicAfterstate, f32)> = Vec::new();
            while let Some((direction, _)) = best_move(&Classic, lane.episode.board, &network) {
                let (afterstate, merged) =
                    Classic.slide(lane.episode.board, direction).expect("legal");
                moves.push((afterstate, merged as f32));
                assert!(lane.step(&network, &step_size, None).is_none());
            }
            // Rewards and values of the moves after the present one, the next one first.
            let mut after: Vec<(f32, f32)> = Vec::new();
            let mut left = moves.len();
            while let Some((afterstate, reward)) = moves.pop() {
                let before = network.value(afterstate);
                let ends = after.len() < span;
                let expected = before + ALPHA * (defined(target, &after, ends) - before);
                left -= 1;
                assert_eq!(lane.step(&network, &step_size, None).is_some(), left == 0);
                assert_close(network.value(afterstate), expected);
                after.insert(0, (reward, network.value(afterstate)));
            }
        }
    }
}

/// Backward learning of a game that has gone on brings the end to all moves at once: the first learns of it in one game.
#[test]
fn the_end_reaches_the_first_move_in_one_game_only_backward() {
    let of_first = |updates: Updates| {
        let mut network = small_network();
        network.fill(100_000.0);
        let step_size = step_size(StepSizeRule::Constant, 1.0, &network);
        let mut lane = start(&network, 0, &step_size, Target::Td, updates);
        let (direction, _) = best_move(&Classic, lane.episode.board, &network).expect("a move");
        let (first, _) = Classic.slide(lane.episode.board, direction).expect("legal");
        while lane.step(&network, &step_size, None).is_none() {}
        network.value(first)
    };
    let (forward, backward) = (of_first(Updates::Forward), of_first(Updates::Backward));
    assert!(backward < forward / 2.0, "{backward} {forward}");
}

/// Whatever the processor can do, a run learns the same.
#[test]
fn every_kernel_learns_the_same() {
    let learned = |kernel: &str| {
        let structure = Structure::parse("01234 01245 0123 fb7", Classic.rules().geometry());
        let mut network = NTuple::new(&Classic, structure.expect("patterns")).expect("small");
        assert!(network.choose_kernel(kernel));
        let step_size = step_size(StepSizeRule::Tc, 1.0, &network);
        let games = (0..20).map(|number| {
            let mut lane = start(&network, number, &step_size, Target::Td, Updates::Forward);
            loop {
                if let Some(finished) = lane.step(&network, &step_size, None) {
                    return finished;
                }
            }
        });
        let games: Vec<(u64, u64)> = games.map(|game| (game.score, game.moves)).collect();
        (games, network.weight_range())
    };
    let structure = Structure::parse("0123", Classic.rules().geometry()).expect("a pattern");
    let kernels = NTuple::new(&Classic, structure)
        .expect("small")
        .kernel_names();
    let expected = learned(kernels[0]);
    assert!(expected.1.0 > 1000);
    for kernel in &kernels[1..] {
        assert_eq!(learned(kernel), expected, "{kernel}");
    }
}
