// Questions to Python. Every answer is data; a fault is thrown with the words of the command line.
export class Fault extends Error {}
export class Bug extends Error {}
export class Locked extends Error {} // the player has locked all tabs
export class Overdue extends Error {} // Python took too long, was ended, and has begun anew with locked keys

const LIMIT = 60_000; // milliseconds for one question, far more than an honest one takes on a slow telephone
const waiting = new Map(); // number of a question -> how its asker is answered
let worker, last = 0, ready, whileHeld = () => {};

// `held` is called with true while another tab has the home, and with false when this one has it.
export function start(held = whileHeld) {
  whileHeld = held;
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  ready = new Promise((done, failed) => {
    worker.onerror = (event) => failed(new Bug(event.message || "the worker did not start"));
    waiting.set("start", { done, failed });
  });
  return ready;
}

// `at`: "practice" for a game against a bot, "try" for one that is tried out; their part of Python comes as a file of
// its own.
const LATER = { practice: "practice.json", try: "practice.json" };
export function ask(call, given = {}, at = "") {
  const id = ++last;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    worker.postMessage({ id, question: JSON.stringify({ call, given, at }), more: LATER[at] ?? "" });
  });
}

// A key that is unlocked in another tab, for Python here; and one that is unlocked here, as other tabs may have it.
export const lend = (key) => worker.postMessage({ lend: key });
export function hold(name) {
  const id = ++last;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    worker.postMessage({ id, hold: name });
  });
}

// What Python has started with is compiled for the next start, in the background.
export const prepare = () => worker.postMessage({ prepare: true });

function hear(data) {
  if ("held" in data && data.id) return settle(data.id, "done", data.held);
  if (data.ready) return settle("start", "done");
  if (data.failed) return settle("start", "failed", new Bug(data.failed));
  if (data.held) return whileHeld(true);
  if (data.begun) {
    whileHeld(false);
    waiting.get(data.id).timer = setTimeout(() => end(), LIMIT);
    return;
  }
  const said = JSON.parse(data.answer);
  if ("answer" in said) settle(data.id, "done", said.answer);
  else if ("fault" in said) settle(data.id, "failed", new Fault(said.fault));
  else settle(data.id, "failed", new Bug(said.bug ?? said.lost));
}

function settle(id, how, answer) {
  const asker = waiting.get(id);
  waiting.delete(id);
  clearTimeout(asker?.timer);
  asker?.[how](answer);
}

// Keys are in the memory of the worker alone: where it has ended, they are locked.
export const lock = () => end(Locked);

// Python cannot be interrupted. A worker that is ended gives back the lock of the home, and has kept nothing.
function end(Why = Overdue) {
  worker.terminate();
  for (const id of [...waiting.keys()]) settle(id, "failed", new Why());
  start().catch(() => {}); // why it does not start again is told to the next who asks
}
