// Python, in a worker of its own. Each question is asked while this tab alone has the home, and its answer is
// handed on only when all that it changed is kept: nothing sealed is ever shown that a crash could take back.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { heldOf, lend, secretOf } from "./lent.js";
import { made, make } from "./made.js";
import * as primitives from "./primitives.js";
import { add, install, write } from "./python.js";
import * as store from "./store.js";

const HOME = "/home/pbem";
const LOCK = "pbem-home";
const PAUSE = 10; // milliseconds between two modules that are compiled
let known = -1; // the generation that is in memory
const ready = start();

async function start() {
  const indexURL = new URL("./pyodide/", import.meta.url).href;
  const before = await made(); // what an earlier start has compiled
  const [python, bundle] = await Promise.all([
    loadPyodide({ indexURL, ...(before && { stdLibURL: before.library }) }),
    fetch(new URL("./pbem.json", import.meta.url)).then((answer) => answer.json()),
  ]);
  install(python, bundle, primitives);
  write(python, before?.files ?? []);
  const door = python.runPython(`
from pathlib import Path
from pbem.web.door import Door
Door(Path(${JSON.stringify(HOME)}))`);
  return { python, door };
}

let queue = Promise.resolve(); // one question after the other, so that a lock that is held is another tab's

onmessage = ({ data: { id, question, more, lend: given, hold, prepare } }) => {
  if (prepare) return void compile().catch(() => {}); // then the next start takes as long as this one
  if (given) return lend(given);
  if (hold) {
    queue = queue.then(() => heldKey(hold)).then((held) => postMessage({ id, held }), () => postMessage({ id, held: null }));
    return;
  }
  queue = queue.then(() => further(more)).then(() => alone(id, question)).then(
    (answer) => postMessage({ id, answer }),
    (fault) => postMessage({ id, answer: JSON.stringify({ lost: `${fault?.message ?? fault}` }) }),
  );
};

// What only some questions need is fetched before the first of them.
const fetched = new Set();

async function further(name) {
  if (!name || fetched.has(name)) return;
  const answer = await fetch(new URL(`./${name}`, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be had`);
  const bundle = await answer.json();
  const { python } = await ready;
  add(python, bundle);
  fetched.add(name);
}

// A module at a time, so that no question waits long.
async function compile() {
  if (await made()) return;
  const { door } = await ready;
  const bytecode = door.bytecode();
  const inTurn = (act) => (queue = queue.then(act));
  try {
    while (await inTurn(() => bytecode.step())) await new Promise((done) => setTimeout(done, PAUSE));
    await make(await inTurn(() => bytesIn(bytecode.library())), await inTurn(() => bytesIn(bytecode.package())));
  } finally {
    bytecode.destroy();
  }
}

function bytesIn(proxy) {
  const found = proxy.toJs();
  proxy.destroy();
  return found;
}

// A key that was unlocked here, as the page holds it for other tabs.
async function heldKey(name) {
  const { door } = await ready;
  const proxy = door.seed(name);
  const seed = proxy.toJs();
  proxy.destroy();
  return heldOf(name, seed, primitives.publicOf(seed), primitives.agreementPublic(secretOf(seed)));
}

async function alone(id, question) {
  const act = () => answered(id, question);
  const answer = await navigator.locks.request(LOCK, { ifAvailable: true }, (lock) => lock && act());
  if (answer !== null) return answer;
  postMessage({ held: true });
  return navigator.locks.request(LOCK, act);
}

async function answered(id, question) {
  const { python, door } = await ready;
  postMessage({ id, begun: true });
  if ((await store.generation()) !== known) await refill(python, door);
  const answer = door.ask(question);
  const [written, gone] = taken(door.changes());
  if (written.length || gone.length) {
    try {
      await store.keep(written, gone, known);
    } catch (fault) {
      known = -1; // what is in memory is not kept: the next question begins with what is
      throw fault;
    }
    known += 1;
    door.kept();
  }
  return answer;
}

async function refill(python, door) {
  const kept = await store.load();
  const files = python.toPy(Object.fromEntries(kept.files));
  door.fill(files);
  files.destroy();
  known = kept.generation;
}

function taken(proxy) {
  const [written, gone] = proxy.toJs();
  proxy.destroy();
  return [written, gone];
}

ready.then(
  () => postMessage({ ready: true }),
  (fault) => postMessage({ failed: `${fault?.message ?? fault}` }),
);
