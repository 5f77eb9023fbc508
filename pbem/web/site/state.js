// The state of the page, in one place. Views are drawn from it; acts change it; nothing else does.
import { OFF } from "./waking.js";

export function createStore(first) {
  let state = first;
  const heard = new Set();
  return {
    get: () => state,
    set(change) {
      state = { ...state, ...(typeof change === "function" ? change(state) : change) };
      heard.forEach((hear) => hear(state));
    },
    subscribe(hear) {
      heard.add(hear);
      return () => heard.delete(hear);
    },
  };
}

export const store = createStore({
  phase: "starting", // then "ready", or "trouble"
  held: false, // does another tab have the home?
  busy: 0, // acts that are not finished
  trouble: null, // why the page cannot go on
  pockets: [], // keys for which this browser may look while they are locked
  names: null, // by which the home may be removed
  route: [""],
  standing: null,
  leagues: [], // those that were entered from here
  judges: [], // the judge's keys that are known for the game of a link to join
  notes: [],
  persisted: null, // has the browser promised to keep the storage?
  join: null, // a join file that was signed
  signed: null, // what was signed last in a form, and what it is about
  about: null,
  privateNotes: null, // the player's own notes about the game that is open
  marking: false, // is the next tap on the picture to choose a block to mark?
  picked: [], // what was tapped then
  game: null, // what Python shows of the game that is open, with its line and what was sealed last
  tab: "orders",
  unseen: false, // is there a report in the story that came while something was written elsewhere?
  kept: "", // the state of the game when that was begun, for which the form stays as it is
  draft: null,
  offers: { found: [], how: "put", title: "", ways: [] },
  light: [], // offers whose names are lit on the picture
  study: null,
  forecast: null, // null, "busy", or paragraphs
  taps: 0, // on the picture
  starts: [], // offers that begin a line
  asText: false,
  advance: false, // is something ordered ahead, where nothing is asked?
  confirmSaved: false,
  hints: true, // are there hints in a practice game?
  choices: null, // games that can be practised
  last: null, // the table that was open last, seen before the passphrase where the player wants that
  showsLast: false,
  back: null, // what ends an absence, to be mailed
  revealed: null, // the reveal of an exchange that was closed
  story: null, // the report that is stepped through: {exchange, steps}
  step: 0,
  playing: false,
  audit: null, // of a bundle: {name, rows, played, of, result, fault}
  copy: { box: "", generation: 0, is_own: false, why: "" }, // the sealed copy of the home in a post box
  answering: { lines: [], said: {} }, // the games that can answer by themselves, and what has come of it
  waking: OFF, // whether this device is woken when something waits
  post: { waiting: [], away: {}, waits: null }, // what waits to be sent and why; why a box could not be asked; letters there while keys are locked
});
