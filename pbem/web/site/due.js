// What is due: games and leagues in one list, first what is asked of the player, by its deadline.
// A league as people call it, without what tells its ledger from those of games.
export const leagueName = (league) => league.replace(/^league\./, "");

const ASKED = ["draft", "sealed", "to be sent", "refused", "late", "trouble"];

const askedOf = ({ game, league }) => (game ? ASKED.includes(game.state) : league.asked || Boolean(league.trouble));
const untilOf = ({ game, league }) => (game ? game.deadline : league.due);
const isOver = ({ game, league }) => (game ? game.state === "over" : league.over);
export const nameOf = ({ game, league }) => (game ? game.game : league.league);

// Each is {game: line} or {league: line}. What has no deadline comes after what has one; what is over comes last.
export function byDue(games, leagues) {
  const all = [...games.map((game) => ({ game })), ...leagues.map((league) => ({ league }))];
  const rank = (one) => (isOver(one) ? 2 : askedOf(one) ? 0 : 1);
  const when = (one) => Date.parse(untilOf(one)) || Infinity;
  return all.sort((one, other) =>
    rank(one) - rank(other) || (when(one) === when(other) ? 0 : when(one) - when(other)) || (nameOf(one) < nameOf(other) ? -1 : 1));
}

// What waits for the player, in the order in which it is due.
export const waitingOf = (games, leagues) => byDue(games, leagues).filter((one) => !isOver(one) && askedOf(one));

export const addressOf = ({ game, league }) => (game ? `#game/${game.game}` : `#league/${league.league}`);

// Of what waits, [the next one after the address where one is, how many others there are]: whoever passes one over
// comes to it again after the last.
export function nextOf(waiting, here) {
  const at = waiting.findIndex((one) => addressOf(one) === here);
  const others = [...waiting.slice(at + 1), ...waiting.slice(0, Math.max(at, 0))];
  return [others[0], others.length];
}
