// The page begins here: what is drawn from the state is drawn whenever the state has changed.
import { carried, open, receiveDrop, told } from "./acts.js";
import { App } from "./app.js";
import { countsOf, createBadge } from "./badge.js";
import { store } from "./state.js";
import { html, render } from "./view.js";

const root = document.getElementById("page");
root.replaceChildren();
const badge = createBadge(document, navigator);
let waiting = false;
const draw = () => {
  waiting = false;
  const busy = store.get().busy;
  render(html`<${App} state=${store.get()} />`, root);
  badge(countsOf(store.get()));
  // Who pressed a button that is gone goes on from the top of the view, not of the page.
  if (!busy && document.activeElement === document.body) document.getElementById("main")?.focus({ preventScroll: true });
};
store.subscribe(() => {
  if (waiting) return;
  waiting = true;
  queueMicrotask(draw);
});

document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && badge(countsOf(store.get()), { anew: true }));
window.addEventListener("dragover", (event) => event.preventDefault());
window.addEventListener("drop", (event) => {
  event.preventDefault();
  receiveDrop(event.dataTransfer);
});
window.addEventListener("unhandledrejection", (event) => {
  told(event.reason);
  event.preventDefault();
});
draw();
open(() => document.getElementById("main")?.focus({ preventScroll: true }), carried).then(() => { document.body.dataset.ready = "yes"; });
