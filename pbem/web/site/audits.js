// The audit of a bundle: what is taken as one, the worker that audits it, and what it has said so far.
import { ask, Bug, Fault } from "./ask.js";
import { store } from "./state.js";
import { words } from "./words.js";

export const LARGEST = 80_000_000; // bytes that are read at all; a whole campaign has about one million
const MAX_FILES = 100_000; // files of a folder
const MARKS = ["log/leaves", "log/0001.entry"]; // what a zip names that is a bundle
const { get, set } = store;
let worker, waiting = {}, last = 0;

// Is it a bundle, and no mail? {name, size, head, tail}: its first bytes, and its last as text.
export function isBundle({ name, head, tail }) {
  if (head[0] === 0x1f && head[1] === 0x8b) return /\.(tar\.gz|tgz|gz)$/i.test(name);
  return head[0] === 0x50 && head[1] === 0x4b && MARKS.some((mark) => tail.includes(mark));
}

// The bundle among files that were given as mail, if there is one.
export async function bundleAmong(files) {
  for (const [name, blob] of files) {
    const head = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
    const tail = head[0] === 0x50 ? new TextDecoder("latin1").decode(await blob.slice(-2_000_000).arrayBuffer()) : "";
    if (isBundle({ name, head, tail })) return [name, [[name, blob]]];
  }
  return null;
}

// All files below a folder that was dropped, by their places; no more than a page takes.
export async function filesBelow(entry, place = entry.name, found = []) {
  if (found.length > MAX_FILES) return found;
  if (entry.isFile) found.push([place, await new Promise((done, failed) => entry.file(done, failed))]);
  else {
    const reader = entry.createReader();
    for (let some; (some = await new Promise((done, failed) => reader.readEntries(done, failed))).length;) {
      for (const one of some) await filesBelow(one, `${place}/${one.name}`, found);
    }
  }
  return found;
}

export const sizeOf = (files) => files.reduce((sum, [, blob]) => sum + blob.size, 0);

// Audits [place, blob] each. Whatever is wrong with it is told where the audit is shown.
export async function begin(name, files) {
  end();
  set({ audit: { name, rows: [], played: 0, of: 0 } });
  location.hash = "audit";
  if (files.length > MAX_FILES || sizeOf(files) > LARGEST) return fail(new Fault(words.audit.tooLarge(name)));
  const mine = open();
  try {
    const known = await ask("first_heads");
    const taken = await Promise.all(files.map(async ([place, blob]) => [place, new Uint8Array(await blob.arrayBuffer())]));
    const result = await asked("audit", { name, files: taken, known }, taken.map(([, bytes]) => bytes.buffer));
    if (mine === worker) change({ result });
  } catch (fault) {
    if (mine === worker) fail(fault);
  }
}

// What the bundle tells, for the viewer.
export const story = async () => ({ story: await asked("story") });

// The worker is ended, and the bundle with it.
export function end() {
  worker?.terminate();
  worker = undefined;
  waiting = {};
  set({ audit: null });
}

function open() {
  worker = new Worker("auditor.js", { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => { for (const one of Object.values(waiting)) one.failed(new Bug(event.message || words.audit.ended)); };
  return worker;
}

function asked(call, given, handed = []) {
  if (!worker) return Promise.reject(new Fault(words.audit.gone));
  const id = ++last;
  return new Promise((done, failed) => {
    waiting[id] = { done, failed };
    worker.postMessage({ id, call, given }, handed);
  });
}

function hear({ id, answer, told }) {
  if (told) return change(step(get().audit, told));
  const asker = waiting[id];
  delete waiting[id];
  const said = JSON.parse(answer);
  if ("answer" in said) asker?.done(said.answer);
  else asker?.failed("fault" in said ? new Fault(said.fault) : new Bug(said.bug));
}

// What stands of an audit after one more thing that was told.
export const step = (audit, { row, played, of }) => (row ? { rows: [...audit.rows, row] } : { played, of });

const change = (said) => set((now) => (now.audit ? { audit: { ...now.audit, ...said } } : {}));
const fail = (fault) => change({ fault: fault instanceof Fault ? fault.message : words.bug(fault.message) });
