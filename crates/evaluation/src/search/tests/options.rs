//! What the options of a search change, and what they do not.

use super::*;

#[test]
fn sampled_values_converge_to_the_exact_ones() {
    let value = rowtable(&Classic);
    let (exact, most) = on_bench(&value, at(2));
    let mut last = f64::INFINITY;
    for samples in [1, 2, 4, 8] {
        let (mut error, mut count, mut sampled_nodes) = (0.0, 0.0, 0);
        for seed in 0..10 {
            let mut search = search(
                &Classic,
                &value,
                SearchSettings {
                    samples: Some(samples),
                    ..at(2)
                },
            );
            search.reseed(seed);
            for (board, exact) in bench_positions().into_iter().zip(&exact) {
                let Some(decision) = search.decide(board) else {
                    continue;
                };
                sampled_nodes += decision.effort.nodes;
                for (value, exact) in decision
                    .values
                    .into_iter()
                    .flatten()
                    .zip(exact.iter().flatten())
                {
                    error += f64::from(value - exact).abs();
                    count += 1.0;
                }
            }
        }
        let error = error / count;
        assert!(
            error < 0.8 * last && error > 0.0,
            "{samples}: {error} after {last}"
        );
        assert!(sampled_nodes < 10 * most);
        last = error;
    }
    let all = on_bench(
        &value,
        SearchSettings {
            samples: Some(15),
            ..at(2)
        },
    );
    assert_eq!(all, (exact, most));
}

#[test]
fn the_cut_off_makes_improbable_positions_leaves() {
    let value = rowtable(&Classic);
    let (exact, most) = on_bench(&value, at(3));
    assert_eq!(
        on_bench(
            &value,
            SearchSettings {
                cutoff: Some(1e-9),
                ..at(3)
            }
        )
        .0,
        exact
    );
    let cut = SearchSettings {
        cutoff: Some(0.05),
        ..at(3)
    };
    let (values, fewer) = on_bench(&value, cut.clone());
    assert!(fewer < most * 7 / 10, "{fewer} of {most}");
    // Close, but not the same.
    assert_ne!(values, exact);
    for (cut, exact) in values
        .iter()
        .flatten()
        .flatten()
        .zip(exact.iter().flatten().flatten())
    {
        assert!((cut - exact).abs() <= 0.2 * exact, "{cut} {exact}");
    }
    // Nor do its values depend on what is in the table.
    assert_eq!(
        on_bench(&value, SearchSettings { table: 0, ..cut }).0,
        values
    );
    // All spawns cut off: two moves deep as one.
    let (one_less, _) = on_bench(&value, at(2));
    assert_eq!(
        on_bench(
            &value,
            SearchSettings {
                cutoff: Some(0.99),
                ..at(3)
            }
        )
        .0,
        one_less
    );
}

#[test]
fn the_probability_of_a_tile_is_maximised() {
    let goal = Some(Goal(Objective::Reach(11)));
    let zero: Value<Classic> = Arc::new(Zero(Objective::Reach(11)));
    let board = |text: &str| Classic.parse_board(text).expect("a board");
    // Right away, or for sure in two moves, or with a 2 in the right place.
    let mut two = search(&Classic, &zero, SearchSettings { goal, ..at(2) });
    let decision = two
        .decide(board("1024 0 0 0/0 0 0 0/0 0 0 0/1024 0 0 0"))
        .expect("moves");
    // To the right the two lose each other to a spawn in 2 of 14 cells.
    assert_eq!(
        decision.values,
        [Some(1.0), Some(12.0 / 14.0), Some(1.0), None]
    );
    let decision = two
        .decide(board("1024 0 512 512/0 0 0 0/0 0 0 0/0 0 0 0"))
        .expect("moves");
    assert_eq!(decision.values[Direction::Left as usize], Some(1.0));
    let decision = two.decide(board("1024 8 4 2/2 4 8 16/4 8 16 32/8 16 32 1024"));
    assert_eq!(decision, None);
    // A rating becomes an estimate, and counts for itself once the tile is there.
    let rating = rowtable(&Classic);
    let mut towards = search(&Classic, &rating, SearchSettings { goal, ..at(3) });
    let mut beyond = search(&Classic, &rating, at(3));
    for board in bench_positions() {
        let Some(decision) = towards.decide(board) else {
            continue;
        };
        if Classic.largest_rank(&board) < 11 {
            let mut values = decision.values.into_iter().flatten();
            assert!(values.all(|value| (0.0..=1.0).contains(&value)));
        } else {
            assert_eq!(
                beyond.decide(board).map(|decision| decision.values),
                Some(decision.values)
            );
        }
    }
    let decision = towards
        .decide(board("1024 1024 4 2/2 4 8 16/4 8 16 32/8 16 32 64"))
        .expect("moves");
    assert_eq!(decision.values[Direction::Left as usize], Some(1.0));
    let settings = SearchSettings {
        goal: Some(Goal(Objective::Score)),
        ..at(1)
    };
    let refused = Expectimax::new(&Classic, zero, settings, Arc::default());
    assert!(matches!(refused.map(|_| ()), Err(SearchError::Goal { .. })));
}

#[test]
fn a_rating_seeks_the_target_that_ends_the_game() {
    let rules = Rules::from_toml("target = 64\nstop_at_target = true").expect("rules");
    let game = Variant::new(rules).expect("playable");
    let mut search = search(&game, &rowtable(&game), at(1));
    let board = game
        .parse_board("32 32 0 0/0 0 0 0/2 0 0 0/0 4 0 0")
        .expect("a board");
    let decision = search.decide(board).expect("moves");
    assert!(matches!(
        decision.direction,
        Direction::Left | Direction::Right
    ));
    assert_eq!(decision.values[decision.direction as usize], Some(1.0));
}

#[test]
fn a_time_budget_deepens_as_far_as_it_goes() {
    let value = rowtable(&Classic);
    let timed = |milliseconds, depth| SearchSettings {
        time: Some(Duration::from_millis(milliseconds)),
        ..at(depth)
    };
    let mut capped = search(&Classic, &value, timed(60_000, 3));
    let mut fixed = search(&Classic, &value, at(3));
    for board in bench_positions().into_iter().take(5) {
        let (capped, fixed) = (capped.decide(board), fixed.decide(board));
        let shown =
            |decision: Option<Decision>| decision.map(|d| (d.direction, d.values, d.effort.depth));
        assert_eq!(shown(capped), shown(fixed));
    }
    // However short, there is a move; however long, only to the end of the game.
    let open = bench_positions()[0];
    assert!(
        search(&Classic, &value, timed(1, u32::MAX))
            .decide(open)
            .is_some_and(|d| d.effort.depth < 12)
    );
    let small = Variant::new(Rules::sized(2, 2)).expect("playable");
    let zero: Value<Variant> = Arc::new(Zero(Objective::Score));
    let mut whole = search(&small, &zero, timed(60_000, u32::MAX));
    let board = small.parse_board("2 4/8 0").expect("a board");
    assert!(
        whole
            .decide(board)
            .is_some_and(|d| d.effort.depth > 3 && d.effort.depth < 40)
    );
}

#[test]
fn a_search_that_is_stopped_still_moves() {
    let stop = Arc::new(AtomicBool::new(true));
    let endless = Expectimax::new(&Classic, rowtable(&Classic), at(500), stop);
    let mut endless = endless.expect("a search");
    let mut greedy = search(&Classic, &rowtable(&Classic), at(1));
    for board in bench_positions() {
        let shown = |decision: Option<Decision>| {
            decision.map(|decision| (decision.direction, decision.effort.depth))
        };
        assert_eq!(shown(endless.decide(board)), shown(greedy.decide(board)));
    }
}

#[test]
fn goals_that_cannot_be_are_refused() {
    let refused = |value: Value<Classic>, goal| {
        let settings = SearchSettings {
            goal: Some(Goal(goal)),
            ..at(1)
        };
        let search = Expectimax::new(&Classic, value, settings, Arc::default());
        search.err().map(|error| error.to_string())
    };
    let beyond = Objective::Reach(18);
    let message = refused(Arc::new(Zero(beyond)), beyond);
    assert_eq!(
        message.as_deref(),
        Some("the goal 'reach:262144' cannot be reached: the largest tile on this board is 131072")
    );
    assert_eq!(
        refused(Arc::new(Zero(Objective::Reach(17))), Objective::Reach(17)),
        None
    );
    assert_eq!(refused(heuristic(&Classic), Objective::Reach(11)), None);
}
