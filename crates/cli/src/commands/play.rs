mod replay;
mod screen;

use crate::explain::Explain;
use crate::failure::Failure;
use crate::games::{AnyGame, with_game};
use crate::{agents, interrupt};
use engine::{Decision, Direction, Episode, Game};
use evaluation::{AgentSpec, Played, match_game};
use network::Indexed;
use screen::Screen;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Watch an agent play one game, or a recorded game.
///
/// Agents are written as for `eval`, such as greedy:value=runs/001 or expectimax:value=rowtable,depth=3.
/// Each board is shown with what the agent holds every legal move to be worth, and the move that it chose.
/// On a terminal the boards are drawn in place; elsewhere one below the other.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The agent, such as greedy:value=runs/001 [default: the latest trained player]
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Where the spawns come from: the same seed gives the same game
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The game: 4x4, 3x3, 2x3, ... or a TOML file [default: what the model was trained on]
    #[arg(long)]
    rules: Option<String>,
    /// Show a game that `eval --record` wrote, instead of playing one; AGENT is then one of those in the file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "rules", "explain", "runs"])]
    replay: Option<PathBuf>,
    /// Which recorded game: best or worst by score, of all agents unless one is named, or its number
    #[arg(long, value_name = "GAME", default_value = "best", requires = "replay")]
    game: replay::Which,
    /// Time between moves, such as 200ms [default: 50ms on a terminal, else 0]
    #[arg(long, value_parser = humantime::parse_duration)]
    delay: Option<Duration>,
    /// Stop after so many moves
    #[arg(long, value_name = "N")]
    moves: Option<u64>,
    /// Write every decision to a file, a JSON object a line
    #[arg(long, value_name = "FILE")]
    explain: Option<PathBuf>,
    /// Folder of the runs
    #[arg(long, value_name = "DIR", default_value = "runs")]
    runs: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(file) = &arguments.replay {
        return replay::run(file, arguments);
    }
    let texts: Vec<String> = arguments.agent.iter().cloned().collect();
    let specs = agents::parse_specs(&texts, &arguments.runs, false)?;
    let rules = agents::rules_for(arguments.rules.as_deref(), &specs)?;
    Explain::during(arguments.explain.as_deref(), |explain| {
        let interrupted = interrupt::flag();
        with_game!(AnyGame::new(&rules)?, game => play(&game, &specs[0], arguments, explain, &interrupted))
    })
}

fn play<G: Indexed>(
    game: &G,
    spec: &AgentSpec,
    arguments: &Arguments,
    explain: Option<&Explain>,
    interrupted: &Arc<AtomicBool>,
) -> Result<(), Failure> {
    let (makers, _) = agents::makers(game, std::slice::from_ref(spec), interrupted)?;
    let mut agent = makers[0]();
    let mut screen = Screen::new(arguments.delay);
    let (mut episode, agent_seed) = match_game(game, arguments.seed, 0);
    agent.begin_game(agent_seed);
    loop {
        let enough = arguments.moves.is_some_and(|moves| episode.moves >= moves);
        let asked = Instant::now();
        let decision = (!enough).then(|| agent.decide(episode.board)).flatten();
        // A decision that was broken off is none.
        let decision = decision.filter(|_| !interrupted.load(Relaxed));
        let seconds = asked.elapsed().as_secs_f64();
        let text = frame(game, spec, &episode, decision.as_ref());
        screen.show(&text)?;
        let Some(decision) = decision else {
            break;
        };
        let Some((afterstate, reward)) = game.slide(episode.board, decision.direction) else {
            return Err(Failure::failed(format!(
                "{spec} chose {}, which is no legal move",
                decision.direction
            )));
        };
        if let Some(explain) = explain {
            let played = Played {
                game: 0,
                moves: episode.moves,
                board: episode.board,
                decision: &decision,
                seconds,
            };
            explain.add(game, &spec.to_string(), &played);
        }
        episode.advance(game, afterstate, reward);
        screen.wait(interrupted);
    }
    let over = game.slides(episode.board).iter().all(Option::is_none);
    let how = if over { "Game over" } else { "Stopped" };
    screen.end(how, &episode.outcome(game))?;
    if interrupted.load(Relaxed) {
        return Err(Failure::Interrupted);
    }
    Ok(())
}

/// The board, and below it the value of each move.
fn frame<G: Game>(
    game: &G,
    spec: &AgentSpec,
    episode: &Episode<G>,
    decision: Option<&Decision>,
) -> String {
    let mut text = format!(
        "{spec}: move {}, score {}\n",
        episode.moves + 1,
        episode.score
    );
    text += &game.draw(&episode.board);
    text += "\n";
    if let Some(effort) = decision.map(|decision| decision.effort)
        && effort.nodes > 0
    {
        text += &format!(
            "depth {}, {} nodes, {} leaves, {} from the table\n",
            effort.depth, effort.nodes, effort.leaves, effort.table_hits
        );
    }
    let legal = game.slides(episode.board).map(|slide| slide.is_some());
    for direction in Direction::ALL {
        let chosen = decision.is_some_and(|decision| decision.direction == direction);
        let value = decision.and_then(|decision| decision.values[direction as usize]);
        let shown = match (legal[direction as usize], value) {
            (false, _) => "not legal".to_owned(),
            // Probabilities need their decimals.
            (true, Some(value)) if value.abs() < 10.0 => format!("{value:.5}"),
            (true, Some(value)) => format!("{value:.1}"),
            (true, None) => "-".to_owned(),
        };
        text += &format!(
            "{} {direction:<5} {shown:>12}\n",
            if chosen { '>' } else { ' ' }
        );
    }
    text
}
