//! Search against its definition and known values.

mod options;

use super::*;
use crate::{Heuristic, RowTable, Weights, Zero, positions};
use engine::{Classic, ClassicBoard, Direction, Rules, Variant};

type Value<G> = Arc<dyn ValueFunction<G>>;

fn rowtable<G: Game>(game: &G) -> Value<G> {
    Arc::new(RowTable::new(game))
}

fn heuristic<G: Game>(game: &G) -> Value<G> {
    Arc::new(Heuristic::new(game, &Weights::default()))
}

fn at(depth: u32) -> SearchSettings {
    SearchSettings {
        depth: DepthRule::Fixed(depth),
        ..SearchSettings::default()
    }
}

fn search<G: Game>(game: &G, value: &Value<G>, settings: SearchSettings) -> Expectimax<G> {
    Expectimax::new(game, value.clone(), settings, Arc::default()).expect("a search")
}

/// Expectimax as it is defined, without anything that makes it fast.
fn plainly<G: Game>(
    game: &G,
    value: &Value<G>,
    goal: Objective,
    board: G::Board,
    depth: u32,
) -> [Option<f64>; 4] {
    game.slides(board).map(|slide| {
        let (afterstate, merged) = slide?;
        if let Objective::Reach(rank) = goal
            && game.largest_rank(&afterstate) >= rank
        {
            return Some(1.0);
        }
        let mean = || -> f64 {
            let worth = |(board, probability): (G::Board, f64)| {
                if let Objective::Reach(rank) = goal
                    && game.largest_rank(&board) >= rank
                {
                    return probability;
                }
                let values = plainly(game, value, goal, board, depth - 1);
                probability * values.into_iter().flatten().reduce(f64::max).unwrap_or(0.0)
            };
            game.spawns(afterstate).into_iter().map(worth).sum()
        };
        let rest = if depth == 1 {
            f64::from(value.value(afterstate))
        } else {
            mean()
        };
        Some(f64::from(goal.step_reward(merged)) + rest)
    })
}

#[track_caller]
fn assert_close(found: [Option<f32>; 4], expected: [Option<f64>; 4]) {
    for (found, expected) in found.into_iter().zip(expected) {
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected))
                if (f64::from(found) - expected).abs() <= 2e-6 * expected.abs() => {}
            pair => panic!("{pair:?}"),
        }
    }
}

/// Boards from a game of random moves, a few apart.
fn some_boards<G: Game>(game: &G, seed: u64) -> Vec<G::Board> {
    let mut episode = engine::Episode::start(game, engine::game_rng(seed, 0));
    let mut boards = vec![episode.board];
    while let Some((afterstate, reward)) = game.slides(episode.board).into_iter().flatten().last() {
        episode.advance(game, afterstate, reward);
        if episode.moves.is_multiple_of(9) {
            boards.push(episode.board);
        }
    }
    boards.push(episode.board);
    boards
}

fn check_against_definition<G: Game>(
    game: &G,
    value: &Value<G>,
    goal: Option<Objective>,
    depth: u32,
) {
    let aim = goal.unwrap_or(value.objective());
    let goal = goal.map(Goal);
    for board in some_boards(game, 3).into_iter().take(8) {
        let expected = plainly(game, value, aim, board, depth);
        for (table, prune, threads) in [
            (1 << 14, true, 1),
            (0, true, 1),
            (1 << 4, true, 2),
            (1 << 10, false, 1),
        ] {
            let settings = SearchSettings {
                goal,
                table,
                prune,
                threads,
                ..at(depth)
            };
            let decision = search(game, value, settings).decide(board);
            assert_eq!(
                decision.is_some(),
                expected.iter().flatten().next().is_some()
            );
            if let Some(decision) = decision {
                assert_close(decision.values, expected);
                let best = decision.values[decision.direction as usize];
                assert_eq!(best, decision.values.into_iter().flatten().reduce(f32::max));
            }
        }
    }
}

#[test]
fn it_is_expectimax_whatever_makes_it_fast() {
    for depth in 1..=3 {
        check_against_definition(&Classic, &rowtable(&Classic), None, depth);
        let zero: Value<Classic> = Arc::new(Zero(Objective::Score));
        check_against_definition(&Classic, &zero, None, depth);
    }
    check_against_definition(&Classic, &heuristic(&Classic), None, 2);
    for (rows, columns, depth) in [(2, 2, 4), (2, 3, 4), (3, 3, 3), (3, 2, 3), (5, 4, 2)] {
        let game = Variant::new(Rules::sized(rows, columns)).expect("playable");
        check_against_definition(&game, &rowtable(&game), None, depth);
        check_against_definition(&game, &heuristic(&game), None, depth);
        let zero = |goal| -> Value<Variant> { Arc::new(Zero(goal)) };
        for goal in [
            Objective::Score,
            Objective::Moves,
            Objective::Reach(4),
            Objective::Reach(5),
        ] {
            check_against_definition(&game, &zero(goal), None, depth);
        }
    }
    let text = "rows = 3\ncolumns = 3\nspawn = [{ tile = 4, probability = 0.2 }, { tile = 8, probability = 0.7 }, { tile = 2, probability = 0.1 }]";
    let game = Variant::new(Rules::from_toml(text).expect("rules")).expect("playable");
    check_against_definition(&game, &rowtable(&game), None, 3);
    // The spawn itself may reach the goal.
    let zero: Value<Variant> = Arc::new(Zero(Objective::Reach(3)));
    check_against_definition(&game, &zero, None, 3);
}

/// The mean over random starts of the best move's value, all games played to their ends.
fn from_the_start(game: &Variant, goal: Objective) -> f64 {
    let zero: Value<Variant> = Arc::new(Zero(goal));
    let mut search = search(
        game,
        &zero,
        SearchSettings {
            table: 1 << 20,
            ..at(1_000)
        },
    );
    let first = game.spawns(game.awaiting_spawn(game.empty_board()));
    let mut mean = 0.0;
    for (board, probability) in first {
        for (board, second) in game.spawns(game.awaiting_spawn(board)) {
            let decision = search.decide(board).expect("a move");
            assert_eq!(decision.effort.leaves, 0);
            let value = decision.values[decision.direction as usize].expect("valued");
            mean += probability * second * f64::from(value);
        }
    }
    mean
}

#[test]
fn whole_games_have_the_known_values() {
    for (rows, columns, goal, known) in [
        (2, 2, Objective::Moves, 11.960_445_768_942),
        (2, 2, Objective::Score, 66.964_149_457_101_26),
        (2, 2, Objective::Reach(4), 0.962_511_253_75),
        (2, 2, Objective::Reach(5), 0.082_887_289_071_554),
        (2, 3, Objective::Moves, 52.957_751_927_267_63),
        (2, 3, Objective::Score, 480.258_271_775_958_04),
        (2, 3, Objective::Reach(7), 0.056_992_160_496),
    ] {
        let game = Variant::new(Rules::sized(rows, columns)).expect("playable");
        let found = from_the_start(&game, goal);
        assert!(
            (found - known).abs() < 1e-5 * known,
            "{rows}x{columns} {goal}: {found}"
        );
    }
}

fn bench_positions() -> Vec<ClassicBoard> {
    positions(&Classic, None).expect("boards")
}

/// The values of all moves on the bench positions, and the nodes visited.
fn on_bench(value: &Value<Classic>, settings: SearchSettings) -> (Vec<[Option<f32>; 4]>, u64) {
    let mut search = search(&Classic, value, settings);
    let mut nodes = 0;
    let decisions = bench_positions()
        .into_iter()
        .filter_map(|board| search.decide(board));
    let values = decisions.map(|decision| {
        nodes += decision.effort.nodes;
        decision.values
    });
    (values.collect(), nodes)
}

#[test]
fn pruning_and_the_table_spare_nodes_and_change_nothing() {
    let value = rowtable(&Classic);
    let plain = SearchSettings {
        prune: false,
        table: 0,
        ..at(4)
    };
    let (values, nodes) = on_bench(&value, plain.clone());
    let (tabled, fewer) = on_bench(
        &value,
        SearchSettings {
            table: 1 << 14,
            ..plain.clone()
        },
    );
    assert_eq!(tabled, values);
    assert!(fewer < nodes * 9 / 10, "{fewer} of {nodes}");
    let (pruned, fewest) = on_bench(&value, at(4));
    assert_eq!(pruned, values);
    assert!(fewest < fewer * 9 / 10, "{fewest} of {fewer}");
    assert!(on_bench(&value, SearchSettings { table: 0, ..at(4) }).1 < nodes * 9 / 10);
}

#[test]
fn threads_change_nothing() {
    for (value, depth) in [(rowtable(&Classic), 4), (heuristic(&Classic), 3)] {
        for settings in [
            at(depth),
            SearchSettings {
                samples: Some(3),
                ..at(depth)
            },
            SearchSettings {
                cutoff: Some(0.001),
                ..at(depth)
            },
            SearchSettings {
                cutoff: Some(0.05),
                ..at(depth)
            },
        ] {
            let (serial, _) = on_bench(&value, settings.clone());
            for threads in [2, 3] {
                let (parallel, _) = on_bench(
                    &value,
                    SearchSettings {
                        threads,
                        ..settings.clone()
                    },
                );
                assert_eq!(parallel, serial, "{settings:?}");
            }
        }
    }
}

#[test]
fn on_small_boards_neither_threads_nor_the_table_change_anything() {
    for (rows, columns, value) in [(2, 3, "zero"), (3, 3, "rowtable"), (3, 3, "heuristic")] {
        let game = Variant::new(Rules::sized(rows, columns)).expect("playable");
        let value: Value<Variant> = match value {
            "zero" => Arc::new(Zero(Objective::Score)),
            "rowtable" => rowtable(&game),
            _ => heuristic(&game),
        };
        for samples in [None, Some(2)] {
            let usual = SearchSettings { samples, ..at(4) };
            let values = |settings: SearchSettings| -> Vec<_> {
                let mut search = search(&game, &value, settings);
                let boards = some_boards(&game, 5).into_iter();
                boards
                    .map(|board| search.decide(board).map(|decision| decision.values))
                    .collect()
            };
            let expected = values(usual.clone());
            for (table, threads, prune) in [(0, 1, true), (1 << 6, 2, true), (1 << 14, 3, false)] {
                let found = values(SearchSettings {
                    table,
                    threads,
                    prune,
                    ..usual.clone()
                });
                assert_eq!(found, expected, "{samples:?} {table} {threads} {prune}");
            }
        }
    }
}

#[test]
fn tiles_beyond_four_bits_are_searched_exactly() {
    let value = rowtable(&Classic);
    let zero: Value<Classic> = Arc::new(Zero(Objective::Score));
    for text in [
        "32768 32768 2 4/4 2 8 16/2 4 2 8/4 2 4 0",
        "32768 32768 0 4/4 0 8 0/0 4 0 8/4 2 0 0",
        "32768 32768 16384 16384/8192 4096 2048 1024/64 128 256 512/32 16 8 0",
        "65536 32768 32768 16384/8192 4096 2048 1024/64 128 256 512/32 16 0 0",
    ] {
        let board = Classic.parse_board(text).expect("a board");
        for value in [&value, &zero] {
            let expected = plainly(&Classic, value, value.objective(), board, 3);
            let decision = search(&Classic, value, at(3)).decide(board).expect("moves");
            assert_close(decision.values, expected);
        }
        let plain = SearchSettings {
            prune: false,
            ..at(4)
        };
        let (pruned, plain) = (
            search(&Classic, &value, at(4)),
            search(&Classic, &value, plain),
        );
        let values =
            |mut search: Expectimax<Classic>| search.decide(board).map(|decision| decision.values);
        assert_eq!(values(pruned), values(plain));
        let greedy = search(&Classic, &zero, at(1)).decide(board).expect("moves");
        assert!(
            greedy.values[greedy.direction as usize] >= Some(32_768.0),
            "{greedy:?}"
        );
    }
}
