// What a first game says as one goes: a word of the catalogue for what comes next, or none.
import { asked } from "./cards.js";
import { TRAVELS, unfinished } from "./chips.js";
import { rows } from "./draft.js";

const TURNS = 4; // after so many one knows how it goes

// `cards`: how many cards answer a question. What is asked, lit and written decides, not which game it is.
export function hintOf(state, cards) {
  const { game, tab, draft, light, hints, story, step } = state;
  const { line, shown } = game;
  const turn = line.exchange - shown.reports[0] - 1;
  if (!hints || line.state !== "draft" || turn >= TURNS) return "";
  if (tab === "story") return turn && !step && story?.steps.length > 1 ? "story" : "";
  if (tab !== "orders" || !draft) return "";
  if (shown.idle) return "idle";
  const written = rows(draft.text);
  const answered = (question) => written.some((row) => question.verbs.includes(row.said.split(" ")[0]));
  const byCard = asked(shown.questions).filter(cards);
  const open = byCard.find((one) => !answered(one));
  if (open && (open.now || !written.length)) return open.verbs.includes("card") ? "card" : "answer";
  if (draft.open) return "way";
  if (unfinished(state).length) return "rest";
  const others = written.filter((row) => !byCard.some((one) => one.verbs.includes(row.said.split(" ")[0])));
  if (!others.length && light.some((offer) => shown.names.includes(offer.name) && (!written.length || offer.verb === TRAVELS))) return "block";
  return "more";
}
