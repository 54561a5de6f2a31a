//! The rules against exact counts and identities that two independent programs agreed on.

use engine::{Cells, Classic, Episode, Game, Perft, Rules, Variant, game_rng, perft, rank, tile};
use rand::Rng;
use std::collections::{HashMap, HashSet};

/// Everything that play can reach from two random tiles, as ranks.
struct Reachable {
    states: HashSet<Vec<u8>>,
    afterstates: HashSet<Vec<u8>>,
    dead: HashSet<Vec<u8>>,
}

fn enumerate(game: &Variant) -> Reachable {
    let mut reachable = Reachable {
        states: HashSet::new(),
        afterstates: HashSet::new(),
        dead: HashSet::new(),
    };
    let first = game.spawns(game.awaiting_spawn(game.empty_board()));
    let seconds = first
        .iter()
        .flat_map(|(board, _)| game.spawns(game.awaiting_spawn(*board)));
    let mut open: Vec<_> = seconds.map(|(board, _)| board).collect();
    while let Some(board) = open.pop() {
        if !reachable.states.insert(game.ranks(&board)) {
            continue;
        }
        let mut dead = true;
        for (afterstate, _) in game.slides(board).into_iter().flatten() {
            dead = false;
            if reachable.afterstates.insert(game.ranks(&afterstate)) {
                open.extend(game.spawns(afterstate).into_iter().map(|(board, _)| board));
            }
        }
        if dead {
            reachable.dead.insert(game.ranks(&board));
        }
    }
    reachable
}

/// The number of positions when rotations and reflections count as one.
fn up_to_symmetry(game: &Variant, positions: &HashSet<Vec<u8>>) -> usize {
    let symmetries = game.rules().geometry().symmetries();
    let canonical = |ranks: &Vec<u8>| -> Option<Vec<u8>> {
        let image = |cells: &Vec<usize>| cells.iter().map(|&cell| ranks[cell]).collect();
        symmetries.iter().map(image).min()
    };
    positions
        .iter()
        .filter_map(canonical)
        .collect::<HashSet<_>>()
        .len()
}

#[test]
fn small_boards_have_the_known_numbers_of_positions() {
    for (rows, columns, states, afterstates, dead, max_tile, max_sum) in [
        (2, 2, (662, 110), (464, 67), (186, 36), 32, 60),
        (
            2,
            3,
            (85_844, 21_752),
            (59_038, 14_883),
            (17_504, 4_484),
            128,
            252,
        ),
    ] {
        let game = Variant::new(Rules::sized(rows, columns)).expect("playable");
        let reachable = enumerate(&game);
        let count = |set| (HashSet::len(set), up_to_symmetry(&game, set));
        assert_eq!(count(&reachable.states), states);
        assert_eq!(count(&reachable.afterstates), afterstates);
        assert_eq!(count(&reachable.dead), dead);
        let tiles = |ranks: &Vec<u8>| ranks.iter().map(|&r| tile(r)).collect::<Vec<_>>();
        let all = || reachable.states.iter().map(tiles);
        assert_eq!(all().flatten().max(), Some(max_tile));
        assert_eq!(
            all().flatten().max(),
            Some(tile(game.rules().largest_rank()))
        );
        assert_eq!(all().map(|tiles| tiles.iter().sum()).max(), Some(max_sum));
    }
}

/// Positions with their leaf counts by depth.
const PERFT: [(&str, &[u64]); 9] = [
    (
        "2 0 0 0/0 0 0 0/0 0 0 0/0 0 0 0",
        &[60, 5_984, 595_224, 57_177_536, 5_272_170_640],
    ),
    (
        "0 0 0 0/0 2 0 0/0 0 2 0/0 0 0 0",
        &[112, 11_568, 1_137_152, 106_965_632, 9_649_606_272],
    ),
    (
        "2 4 8 16/0 2 4 64/0 0 2 128/0 0 2 256",
        &[34, 1_556, 77_094, 3_631_184, 161_571_204],
    ),
    (
        "2 2 2 2/4 4 8 0/2 2 2 0/8 4 4 0",
        &[38, 2_176, 140_212, 8_913_392, 555_072_254],
    ),
    (
        "2 4 2 4/4 8 4 8/2 4 2 4/4 8 16 16",
        &[4, 20, 272, 5_326, 139_278],
    ),
    ("2 4 2 4/4 2 4 2/2 4 2 4/4 2 4 2", &[0, 0]),
    (
        "32768 32768 2 4/4 2 8 16/2 4 2 8/4 2 4 2",
        &[4, 16, 168, 3_494, 99_998],
    ),
    (
        "32768 32768 16384 16384/8192 4096 2048 1024/64 128 256 512/32 16 8 0",
        &[14, 152, 776, 1_692],
    ),
    (
        "2 2 2 2/2 2 2 2/2 2 2 2/2 2 2 2",
        &[64, 5_632, 500_736, 42_213_120],
    ),
];

/// Sums of rewards over all paths, for the two positions that make a 65536 tile.
const PERFT_REWARDS: [(&str, &[u64]); 2] = [
    (PERFT[6].0, &[262_144, 1_048_672, 11_013_744, 229_130_232]),
    (PERFT[7].0, &[1_179_648, 14_680_064, 76_022_576]),
];

#[test]
fn perft_of_the_fast_game() {
    for (text, leaves) in PERFT {
        let board = Classic.parse_board(text).expect(text);
        for (depth, &expected) in (1..).zip(leaves) {
            assert_eq!(
                perft(&Classic, board, depth).leaves,
                expected,
                "{text} depth {depth}"
            );
        }
    }
    for (text, rewards) in PERFT_REWARDS {
        let board = Classic.parse_board(text).expect(text);
        for (depth, &expected) in (1..).zip(rewards) {
            assert_eq!(
                perft(&Classic, board, depth).rewards,
                expected,
                "{text} depth {depth}"
            );
        }
    }
}

#[test]
fn perft_of_the_plain_game() {
    let game = Variant::new(Rules::default()).expect("playable");
    for (text, leaves) in PERFT {
        let (board, fast) = (
            game.parse_board(text).expect(text),
            Classic.parse_board(text).expect(text),
        );
        assert_eq!(
            perft(&game, board, 0),
            Perft {
                leaves: 1,
                rewards: 0
            }
        );
        for (depth, &expected) in (1..=3).zip(leaves) {
            let counts = perft(&game, board, depth);
            assert_eq!(counts.leaves, expected, "{text} depth {depth}");
            assert_eq!(counts, perft(&Classic, fast, depth), "{text} depth {depth}");
        }
    }
}

/// Plays uniformly random legal moves; returns score, moves, number of 4s spawned and the final ranks.
fn play_randomly<G: Game>(game: &G, number: u64) -> (u64, u64, u64, Vec<u8>) {
    let mut choice = game_rng(2, number);
    let mut episode = Episode::start(game, game_rng(1, number));
    let fours_on = |board: &G::Board| game.ranks(board).iter().filter(|&&r| r == 2).count() as u64;
    let mut fours = fours_on(&episode.board);
    loop {
        let legal: Vec<_> = game.slides(episode.board).into_iter().flatten().collect();
        if legal.is_empty() {
            return (
                episode.score,
                episode.moves,
                fours,
                game.ranks(&episode.board),
            );
        }
        let (afterstate, reward) = legal[choice.next_u64() as usize % legal.len()];
        episode.advance(game, afterstate, reward);
        let cells = 0..game.rules().geometry().cells();
        let spawned = cells.filter(|&cell| afterstate.rank(cell) != episode.board.rank(cell));
        fours += spawned
            .filter(|&cell| episode.board.rank(cell) == 2)
            .count() as u64;
    }
}

#[test]
fn score_follows_from_the_final_tiles_and_the_spawned_fours() {
    fn check<G: Game>(game: &G) {
        let (games, mut moves_sum, mut tiles_sum) = (4_000, 0.0, 0.0);
        for number in 0..games {
            let (score, moves, fours, ranks) = play_randomly(game, number);
            let merged: u64 = ranks
                .iter()
                .filter(|&&r| r > 0)
                .map(|&r| tile(r) * (u64::from(r) - 1))
                .sum();
            assert_eq!(score, merged - 4 * fours);
            moves_sum += moves as f64;
            tiles_sum += ranks.iter().map(|&r| tile(r) as f64).sum::<f64>();
        }
        // Every spawn adds 2.2 on average, with standard deviation 0.6.
        let spawns = moves_sum + 2.0 * games as f64;
        let difference = tiles_sum - 2.2 * spawns;
        assert!(
            difference.abs() < 5.0 * 0.6 * spawns.sqrt(),
            "{difference} of {tiles_sum}"
        );
    }
    check(&Classic);
    check(&Variant::new(Rules::sized(3, 3)).expect("playable"));
}

#[test]
fn random_play_scores_what_it_is_known_to() {
    let games = 20_000;
    let (mut scores, mut moves_sum, mut reached) = (0, 0, HashMap::new());
    for number in 0..games {
        let (score, moves, _, ranks) = play_randomly(&Classic, number);
        scores += score;
        moves_sum += moves;
        *reached.entry(ranks.into_iter().max()).or_insert(0) += 1;
    }
    let mean = scores as f64 / games as f64;
    assert!((mean - 1_095.0).abs() < 20.0, "mean score {mean}");
    let moves = moves_sum as f64 / games as f64;
    assert!((moves - 118.4).abs() < 1.5, "mean moves {moves}");
    let at_least_256: u32 = reached
        .iter()
        .filter(|(r, _)| **r >= rank(256))
        .map(|(_, n)| n)
        .sum();
    let rate = f64::from(at_least_256) / games as f64;
    assert!((rate - 0.079).abs() < 0.01, "256 in {rate}");
}

#[test]
fn rules_may_spawn_an_8_and_stop_at_the_target() {
    let rules = Rules::from_toml(
        "rows = 3\ncolumns = 3\ntarget = 64\nstop_at_target = true\nspawn = [\
         { tile = 2, probability = 0.5 }, { tile = 4, probability = 0.3 }, { tile = 8, probability = 0.2 }]",
    );
    let game = Variant::new(rules.expect("readable")).expect("playable");
    let afterstate = game.awaiting_spawn(game.parse_board("2 4 8/16 0 32/2 4 2").expect("a board"));
    let spawned: Vec<_> = game
        .spawns(afterstate)
        .iter()
        .map(|(b, p)| (b.rank(4), *p))
        .collect();
    assert_eq!(spawned, [(1, 0.5), (2, 0.3), (3, 0.2)]);
    let mut rng = game_rng(5, 0);
    let eights = (0..10_000)
        .filter(|_| game.spawn(afterstate, &mut rng).rank(4) == 3)
        .count();
    assert!((1_800..2_200).contains(&eights), "{eights}");
    let reached = game.parse_board("64 0 2/0 0 0/2 0 0").expect("a board");
    assert_eq!(game.slides(reached), [None; 4]);
    let (score, _, _, ranks) = play_randomly(&game, 1);
    assert!(score > 0 && ranks.iter().max() <= Some(&6));
}
