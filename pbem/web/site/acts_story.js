// The story: a report that is stepped through, and the whole game so far.
import { about, addressOf, game, goOn, run, told } from "./acts_run.js";
import { lookOf } from "./arriving.js";
import { store } from "./state.js";
import { nextBattle } from "./steps.js";

const { get, set } = store;

let playing;

export function goToStep(place) {
  const { story } = get();
  const step = Math.max(0, Math.min(story.steps.length - 1, place));
  set({ step });
  if (get().tab === "story" && get().unseen) {
    set({ unseen: false });
    run(() => afterLook(game()));
  }
  if (get().tab === "story" && story.steps.length && !lookOf(get().route)) {
    history.replaceState(null, "", `${addressOf(game())}/story/${story.exchange}/${step}`);
  }
  showStep(story, step).catch(told);
}

// The picture after a step. Whoever steps on meanwhile sees that of the later one.
async function showStep(story, step) {
  if (!story.steps.length) return;
  const { svg } = await about(game(), "story_picture", { exchange: story.exchange, step });
  if (get().story.exchange === story.exchange && get().step === step) set((now) => ({ story: { ...now.story, svg } }));
}
export function nextStep(way) {
  const { story, step, missed } = get(), next = missed?.find((number) => number > story.exchange);
  if (way > 0 && next && step >= story.steps.length - 1) return showReport(next);
  goOn({ tab: "story" });
  goToStep(step + way);
}
export const toNextBattle = () => goToStep(nextBattle(get().story.steps, get().step));
export function play(pace = 1600) {
  clearInterval(playing);
  const begins = !get().playing;
  set({ playing: begins, tab: "story" });
  goToStep(get().step);
  if (!begins) return;
  if (get().step >= get().story.steps.length - 1) goToStep(0);
  playing = setInterval(() => {
    if (get().step < get().story.steps.length - 1) return nextStep(1);
    clearInterval(playing);
    set({ playing: false });
  }, pace);
}

// The whole game so far, from the player's own reports.
export async function lookBack(opened) {
  const { story, feared } = await about(opened, "look_back");
  return opened.practice ? { story } : { story, feared, notes: await about(opened, "private_notes") };
}

export const showReport = (number, step = 0) => run(async () => {
  const steps = await about(game(), "story", { exchange: number });
  set({ tab: "story", story: { exchange: number, steps, svg: "" } });
  goToStep(step);
  if (get().missed?.at(-1) === number) await about(game(), "went_through", { exchange: number });
});

// What was seen counts as looked at.
export async function afterLook(opened) {
  if (!get().unseen) await about(opened, "looked", { exchange: opened.shown.exchange });
  if (opened.practice) return;
  const privateNotes = await about(opened, "private_notes");
  if (game()?.line.game === opened.line.game) set({ privateNotes });
}
