// Going through the steps of a story: {lines, chapter, board} each, in their order.
export const titleOf = (step) => step?.board?.area || step?.chapter || "";

// Where the next battle begins after a step; the step itself if there is none.
export function nextBattle(steps, from) {
  const begins = (place) => steps[place].board && steps[place].chapter !== steps[place - 1]?.chapter;
  for (let place = from + 1; place < steps.length; place += 1) if (begins(place)) return place;
  return from;
}

// The lines of a step that its board does not show: who stands there stands on the board, and the dice of a shot above it.
export function linesBeside({ lines, board }) {
  const shows = (line) => board?.lines.some(([side, fighters]) => fighters.length > 0 && line.startsWith(`${capital(side)}: `)
    && fighters.every((one) => plain(line).includes(`${one.name} ${one.strength}/${one.full}`)));
  return lines.filter((line) => !shows(line) && !(board?.shot && line.startsWith(`${board.shot.fighter} rolls `)));
}

const capital = (said) => said.slice(0, 1).toUpperCase() + said.slice(1);
const plain = (said) => said.replaceAll("\u00a0", " ");

// How a shot fell: each die, and whether it hit.
export const diceOf = ({ dice, hits_up_to: most }) => dice.map((pips) => ({ pips, hit: pips <= most }));
