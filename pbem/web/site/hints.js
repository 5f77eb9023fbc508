// What a first game says as one goes: a word of the catalogue for what comes next, or none.
import { TRAVELS } from "./chips.js";
import { rows } from "./draft.js";

const TURNS = 4; // after so many one knows how it goes

// `cards`: how many cards answer a question. What is asked, lit and written decides, not which game it is.
export function hintOf({ game, tab, draft, light, hints, story, step }, cards) {
  const { line, shown } = game;
  const turn = line.exchange - shown.reports[0] - 1;
  if (!hints || line.state !== "draft" || turn >= TURNS) return "";
  if (tab === "story") return turn && !step && story?.steps.length > 1 ? "story" : "";
  if (tab !== "orders" || !draft) return "";
  if (shown.idle) return "idle";
  const written = rows(draft.text);
  const answered = (question) => written.some((row) => question.verbs.includes(row.said.split(" ")[0]));
  const open = shown.questions.find((one) => one.now && cards(one) && !answered(one));
  if (open) return open.verbs.includes("card") ? "card" : "answer";
  if (draft.open) return "way";
  const others = written.filter((row) => !shown.questions.some((one) => one.now && cards(one) && one.verbs.includes(row.said.split(" ")[0])));
  if (!others.length && light.some((offer) => shown.names.includes(offer.name) && (!written.length || offer.verb === TRAVELS))) return "block";
  return "more";
}
