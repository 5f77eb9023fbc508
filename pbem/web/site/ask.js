// Questions to Python. Every answer is data; a fault is thrown with the words of the command line.
export class Fault extends Error {}
export class Bug extends Error {}

const waiting = new Map();
let worker, last = 0;

export function start() {
  worker = new Worker("worker.js", { type: "module" });
  return new Promise((done, failed) => {
    worker.onerror = (event) => failed(new Bug(event.message || "the worker did not start"));
    worker.onmessage = ({ data }) => {
      if (data.ready) return done();
      if (data.failed) return failed(new Bug(data.failed));
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      const said = JSON.parse(data.answer);
      if ("answer" in said) asked.done(said.answer);
      else if ("fault" in said) asked.failed(new Fault(said.fault));
      else asked.failed(new Bug(said.bug ?? said.lost));
    };
  });
}

export function ask(call, given = {}) {
  const id = ++last;
  return new Promise((done, failed) => {
    waiting.set(id, { done, failed });
    worker.postMessage({ id, question: JSON.stringify({ call, given }) });
  });
}
