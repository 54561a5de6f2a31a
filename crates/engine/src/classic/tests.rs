use super::*;
use crate::{Episode, Variant, game_rng, rank};
use proptest::prelude::*;
use rand::Rng;

fn reference() -> Variant {
    Variant::new(Rules::default()).expect("the usual rules")
}

/// The four slides in ranks and rewards, comparable between games.
fn slides_in_ranks<G: Game>(game: &G, ranks: &[u8]) -> [Option<(Vec<u8>, u32)>; 4] {
    let board = game.board_of_ranks(ranks);
    let slides = game.slides(board);
    assert_eq!(
        Direction::ALL.map(|direction| game.slide(board, direction)),
        slides
    );
    slides.map(|slide| slide.map(|(after, reward)| (game.ranks(&after), reward)))
}

#[test]
fn every_row_slides_as_the_reference_does() {
    let reference = reference();
    for row in 0..=u16::MAX {
        let mut across = [0; 16];
        let mut along = [0; 16];
        for cell in 0..4 {
            across[4 + cell] = (row >> (4 * cell) & 15) as u8;
            along[4 * cell + 2] = (row >> (4 * cell) & 15) as u8;
        }
        for ranks in [across, along] {
            assert_eq!(
                slides_in_ranks(&Classic, &ranks),
                slides_in_ranks(&reference, &ranks),
                "{ranks:?}"
            );
        }
    }
}

/// Any mix of tiles, with many equal ones so that merges are common.
fn any_ranks() -> impl Strategy<Value = Vec<u8>> {
    let small = proptest::collection::vec(0u8..=4, 16);
    let medium = proptest::collection::vec(0u8..=15, 16);
    let large = proptest::collection::vec(prop_oneof![Just(0u8), 14u8..=17], 16);
    // Two 131072 tiles cannot be on one board, and no rank exists for their merge.
    prop_oneof![small, medium, large].prop_map(|mut ranks| {
        let mut seen = false;
        for rank in &mut ranks {
            if *rank == 17 && std::mem::replace(&mut seen, true) {
                *rank = 16;
            }
        }
        ranks
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn boards_hold_their_ranks(ranks in any_ranks()) {
        let board = Classic.board_of_ranks(&ranks);
        prop_assert_eq!(Classic.ranks(&board), ranks.clone());
        let largest = ranks.iter().copied().max().unwrap_or(0);
        prop_assert_eq!(Classic.largest_rank(&board), largest);
        for least in 0..=18 {
            prop_assert_eq!(Classic.has_rank_from(Classic.awaiting_spawn(board), least), largest >= least);
        }
    }

    #[test]
    fn moves_and_rewards_are_those_of_the_reference(ranks in any_ranks()) {
        prop_assert_eq!(slides_in_ranks(&Classic, &ranks), slides_in_ranks(&reference(), &ranks));
    }

    #[test]
    fn spawns_are_those_of_the_reference(ranks in any_ranks(), seed: u64) {
        prop_assume!(ranks.contains(&0));
        let reference = reference();
        let ours = Classic.awaiting_spawn(Classic.board_of_ranks(&ranks));
        let theirs = reference.awaiting_spawn(reference.board_of_ranks(&ranks));
        prop_assert_eq!(Classic.empty_cells(ours), reference.empty_cells(theirs));
        let in_ranks = |(board, p): (ClassicBoard, f64)| (Classic.ranks(&board), p);
        let reference_in_ranks = |(board, p)| (reference.ranks(&board), p);
        prop_assert_eq!(
            Classic.spawns(ours).into_iter().map(in_ranks).collect::<Vec<_>>(),
            reference.spawns(theirs).into_iter().map(reference_in_ranks).collect::<Vec<_>>()
        );
        let drawn = Classic.spawn(ours, &mut game_rng(seed, 0));
        let reference_drawn = reference.spawn(theirs, &mut game_rng(seed, 0));
        prop_assert_eq!(Classic.ranks(&drawn), reference.ranks(&reference_drawn));
    }

    #[test]
    fn sliding_commutes_with_symmetry(ranks in any_ranks()) {
        let slides = slides_in_ranks(&Classic, &ranks);
        for symmetry in Classic.rules().geometry().symmetries() {
            let image = |ranks: &[u8]| -> Vec<u8> { symmetry.iter().map(|&c| ranks[c]).collect() };
            let of_image = slides_in_ranks(&Classic, &image(&ranks));
            for slide in &slides {
                let expected = slide.as_ref().map(|(after, reward)| (image(after), *reward));
                prop_assert!(of_image.contains(&expected), "{expected:?} not among {of_image:?}");
            }
        }
    }
}

#[test]
fn two_32768_tiles_make_65536_and_two_of_those_131072() {
    let board = Classic
        .parse_board("32768 32768 2 4/4 2 8 16/2 4 2 8/65536 0 4 2")
        .expect("a board");
    let (afterstate, reward) = Classic.slide(board, Direction::Left).expect("legal");
    assert_eq!(reward, 65536);
    assert_eq!(
        Classic.write_cells(&afterstate),
        "65536 2 4 0/4 2 8 16/2 4 2 8/65536 4 2 0"
    );
    let board = Classic
        .parse_board("65536 65536 2 2/0 0 0 0/0 0 0 0/0 0 0 0")
        .expect("a board");
    let (afterstate, reward) = Classic.slide(board, Direction::Right).expect("legal");
    assert_eq!(reward, 131072 + 4);
    assert_eq!(Classic.largest_rank(&afterstate), 17);
    assert_eq!(afterstate.nibbles() >> 8 & 15, 15);
}

#[test]
fn seeded_random_games_are_those_of_the_reference() {
    fn play<G: Game>(game: &G, number: u64) -> (u64, u64, Vec<u8>) {
        let mut episode = Episode::start(game, game_rng(7, number));
        let mut choice = game_rng(8, number);
        loop {
            let legal: Vec<_> = game.slides(episode.board).into_iter().flatten().collect();
            if legal.is_empty() {
                return (episode.score, episode.moves, game.ranks(&episode.board));
            }
            let (afterstate, reward) = legal[choice.next_u64() as usize % legal.len()];
            episode.advance(game, afterstate, reward);
        }
    }
    let reference = reference();
    for number in 0..200 {
        assert_eq!(play(&Classic, number), play(&reference, number));
    }
}

#[test]
fn spawns_are_uniform_over_cells_and_nine_twos_to_a_four() {
    let board = Classic
        .parse_board("2 0 4 0/0 8 0 16/32 64 0 128/0 256 512 1024")
        .expect("a board");
    let (afterstate, draws) = (Classic.awaiting_spawn(board), 60_000);
    let mut rng = game_rng(3, 3);
    let mut counts = std::collections::HashMap::new();
    for _ in 0..draws {
        *counts
            .entry(Classic.spawn(afterstate, &mut rng))
            .or_insert(0) += 1;
    }
    let spawns = Classic.spawns(afterstate);
    assert_eq!(spawns.len(), 12);
    for (board, probability) in spawns {
        let expected = f64::from(draws) * probability;
        let found = f64::from(counts[&board]);
        assert!(
            (found - expected).abs() < 5.0 * expected.sqrt(),
            "{found} for {expected}"
        );
    }
    assert_eq!(rank(4), Some(2));
}
