// Python that audits one bundle, in a worker of its own: it has neither home nor key, and is ended with the bundle.
import { loadPyodide } from "./pyodide/pyodide.mjs";
import { made } from "./made.js";
import * as primitives from "./primitives.js";
import { add, install, write } from "./python.js";

const fetched = async (name) => {
  const answer = await fetch(new URL(`./${name}`, import.meta.url));
  if (!answer.ok) throw new Error(`${name} cannot be had`);
  return answer.json();
};
const ready = start();

async function start() {
  const before = await made(); // what an earlier start has compiled
  const [python, bundle, more] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href, ...(before && { stdLibURL: before.library }) }),
    fetched("pbem.json"), fetched("audit.json"),
  ]);
  install(python, bundle, primitives);
  add(python, more);
  write(python, before?.files ?? []);
  return { python, call: python.runPython(`
from pbem.web.auditing import Auditor, answer
auditor = Auditor()
def call(name, *given):
    if name == "story":
        return answer(auditor.story)
    title, files, known, heard = given
    taken = [(place, bytes(data)) for place, data in files.to_py()]
    return answer(lambda: auditor.audit(title, taken, known.to_py(), heard))
call`) };
}

onmessage = async ({ data: { id, call, given } }) => {
  try {
    const { call: ask } = await ready;
    postMessage({ id, answer: ask(call, ...(given ? [given.name, given.files, given.known, (told) => postMessage({ told: JSON.parse(told) })] : [])) });
  } catch (fault) {
    postMessage({ id, answer: JSON.stringify({ bug: `${fault?.message ?? fault}` }) });
  }
};
