// Cards to play: the answers to a question, where they are few.
import { TRAVELS } from "./chips.js";

const MAX_LINES = 16;

// A question in a sentence, and the rest of what is said of it, which is there for who wants to know.
export function inShort(said) {
  const end = said.indexOf("?") + 1;
  return end ? [said.slice(0, end), said.slice(end).trim()] : [said, ""];
}

// The lines that a question lists as all that is possible.
export function listed(said) {
  const found = /Possible: (.+?)\.(?: If you say nothing|$)/.exec(said)?.[1];
  return found ? found.split(" / ") : [];
}

// The answers to a question as {verb, name, line}; `starts` are offers to begin a line. `known`: what the game says of
// each line; a place on which a card lies face up is left out, for the card itself is offered. What goes somewhere is
// taken on the picture.
export function cardsOf(starts, question, known = {}) {
  const lines = listed(question.said).map((line) => asCard(line, question.verbs));
  if (lines.length && lines.every(Boolean)) return lines.length > MAX_LINES ? [] : lines;
  if (question.verbs.includes(TRAVELS)) return [];
  const lies = (offer) => starts.some((other) => other.verb === offer.verb && other.name === known[offer.line]?.added);
  const named = (verbs) => starts.filter((offer) => verbs.includes(offer.verb) && offer.name && !lies(offer));
  return [question.verbs, question.verbs.slice(0, 1)].map(named).find((found) => found.length && found.length <= MAX_LINES) ?? [];
}

function asCard(line, verbs) {
  const verb = verbs.find((one) => line.startsWith(`${one} `));
  return verb && { verb, name: line.slice(verb.length + 1), line };
}

// What a card bears, from above: its verb, what it is about, and what is added; `known`: what its game says of it.
export function face({ verb, name }, known = {}) {
  const [, about, added] = faceOf(verb, name);
  return [verb, known.about || about, known.added || added];
}

function faceOf(verb, name) {
  const number = /^(.*)-(\d+)$/.exec(name);
  if (number) return [verb, number[2], number[1]];
  const [, about, added] = /^(.*?)((?: (?:to|from|on) .*)?)$/.exec(name);
  return [verb, about, added.trim()];
}

// Questions that are answered by cards: what is asked now; where nothing is, all that may be ordered.
export function asked(questions) {
  const now = questions.filter((one) => one.now);
  return now.length ? now : questions;
}

// Is it a question with several answers, one below the other?
export const isSeveral = (said) => /best first|one line|[Ww]hich Units/.test(said);

// How large the letters of a card may be: its longest word has to fit.
export function letters(about) {
  const longest = Math.max(...about.split(/[ -]/).map((word) => word.length));
  if (/^\d+$/.test(about)) return "number";
  return longest > 8 ? "smallest" : longest > 6 ? "smaller" : "";
}
