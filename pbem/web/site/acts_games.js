// Games that are no games of the home: one against the bot, and one that is tried out.
import { stopLooking } from "./acts_orders.js";
import { refresh } from "./acts_place.js";
import { game, once, PRACTICE, run, TRY } from "./acts_run.js";
import { ask } from "./ask.js";
import { store } from "./state.js";

const { get, set } = store;

// A game against the bot: it answers at once, and nothing leaves the device.

export const playTurn = once(() => run(async () => {
  stopLooking();
  await ask("play", { text: get().draft.text }, game().practice);
  await refresh();
}));

// A game that is tried out: it begins from where the player stands, or from a step of a report's story.
const changeTry = (call, given) => run(async () => {
  stopLooking();
  await ask(call, given, TRY);
  set({ game: null, draft: null, story: null });
  await refresh();
});
export const tryOut = (name, given) => run(async () => {
  await ask("begin", { game: name, ...given }, TRY);
  if (!given && get().draft) await ask("keep_draft", { text: get().draft.text }, TRY);
  location.hash = `#${TRY}/${name}`;
});
export const throwAgain = () => changeTry("throw_again");
export const takeBack = () => changeTry("take_back");
export const beginTryAgain = (given) => changeTry("begin_again", given);
export const leaveTry = () => { location.hash = `#game/${game().tried.game}`; };
export const beginPractice = (name, side) => run(async () => {
  stopLooking();
  await ask("begin", { game: name, side }, PRACTICE);
  set({ game: null, draft: null, story: null, hints: true });
  await refresh();
});
export const showChoices = () => get().choices ?? run(async () => set({ choices: await ask("choices", {}, PRACTICE) }));
export const hideHints = () => set({ hints: false });
export const leavePractice = () => { location.hash = ""; };
