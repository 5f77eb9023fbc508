// What is due: games and leagues in one list, first what is asked of the player, by its deadline.
// A league as people call it, without what tells its ledger from those of games.
export const leagueName = (league) => league.replace(/^league\./, "");

const ASKED = ["draft", "sealed", "to be sent", "refused", "late", "trouble"];

const askedOf = ({ game, league }) => (game ? ASKED.includes(game.state) : league.asked || Boolean(league.trouble));
const untilOf = ({ game, league }) => (game ? game.deadline : league.due);
const isOver = ({ game, league }) => (game ? game.state === "over" : league.over);
const nameOf = ({ game, league }) => (game ? game.game : league.league);

// Each is {game: line} or {league: line}. What has no deadline comes after what has one; what is over comes last.
export function byDue(games, leagues) {
  const all = [...games.map((game) => ({ game })), ...leagues.map((league) => ({ league }))];
  const rank = (one) => (isOver(one) ? 2 : askedOf(one) ? 0 : 1);
  const when = (one) => Date.parse(untilOf(one)) || Infinity;
  return all.sort((one, other) =>
    rank(one) - rank(other) || (when(one) === when(other) ? 0 : when(one) - when(other)) || (nameOf(one) < nameOf(other) ? -1 : 1));
}
