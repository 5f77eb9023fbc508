// How a line of orders can go on, sorted and in words.
import { lineAt } from "./draft.js";

export const TRAVELS = "move"; // of all that may be done with what was tapped, this is meant first

const firstLine = (offer) => (offer.said ?? offer.line.split("\n")[0]).trim();
const rest = (offer, line) => (line && firstLine(offer).startsWith(line) ? firstLine(offer).slice(line.length).trim() : firstLine(offer));

// Is a line whole without it, which adds to a list in it?
export const isMore = (offer, line) => rest(offer, line).startsWith(",");

// The mistake of the order at hand, where it is no more than that its rest, which is offered, is missing.
export function unfinished({ study, draft, offers, light, asText }) {
  const line = lineAt(draft).trim();
  const isBegun = !asText && line && [...offers.found, ...light].some((offer) => firstLine(offer).startsWith(`${line} `));
  return isBegun ? (study?.faults ?? []).filter((one) => !one.remark && one.line - 1 === draft.at) : [];
}

// What a line gains, and in which sense: "more" of those who do the same, "on" to a place after the one that is
// written, "then" what comes next in a list of preference; "" where the words tell it themselves.
export function tailOf(offer, line) {
  const gained = rest(offer, line);
  if (!isMore(offer, line)) return [gained, ""];
  const sense = offer.verb !== TRAVELS ? "then" : offer.clause ? "on" : "more";
  return [gained.replace(/^,\s*/, ""), sense];
}

// Of what may begin an order, [what may come later, the rest]. Later comes what answers a question that is not asked
// now, unless it moves something: [question, offers] each.
export function laterOf(found, questions) {
  const isNow = (one) => one.now || one.verbs.includes(TRAVELS);
  const asks = (offer) => questions.find((one) => isNow(one) && one.verbs.includes(offer.verb)) ?? questions.find((one) => one.verbs.includes(offer.verb));
  const isLater = (offer) => asks(offer) && !isNow(asks(offer));
  const later = new Map();
  for (const offer of found.filter(isLater)) later.set(asks(offer).said, [...(later.get(asks(offer).said) ?? []), offer]);
  return [[...later], found.filter((offer) => !isLater(offer))];
}
