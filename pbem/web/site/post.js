// The post box at work: what waits is sent and what has come is fetched when the page is opened, when one comes back to
// it, when the network is there again, and every half minute while it is visible; sooner while a receipt is awaited.
import { ask, Fault, Locked } from "./ask.js";
import * as pocket from "./pocket.js";
import { Away, boxesIn, carry, fetchAll, reasonOf, sendAll } from "./outbox.js";
import { store } from "./state.js";

const EVERY = 30_000; // milliseconds
const SOON = [700, 700, 700, 1000, 1000, 1500, 2000, 3000, 5000, 8000]; // after something was sent
const MOST_TRIES = 4; // to give a copy of the home, where another device is faster
const LOCK = "pbem-post"; // one tab at a time

let boxes;
export const allowed = () =>
  (boxes ??= boxesIn(document.querySelector("meta[http-equiv=Content-Security-Policy]")?.content ?? ""));
export const canSend = (line) => allowed().includes(line.box);

// Why what waits for a game was not sent, in a word; none where nothing waits or it was not tried.
export const whyOf = ({ post }, { game, league }) => post.waiting.findLast((one) => one.game === (game ?? league) && one.why)?.why ?? "";

let running = null, again = false, soon = [], timer, told = () => {}, failed = () => {};

// `tell` is called when something was sent or has come; `fail` with a fault of ours.
export function open(tell, fail) {
  told = tell;
  failed = fail;
  if (!allowed().length) return;
  const seen = () => document.visibilityState === "visible" && work();
  window.addEventListener("online", work);
  window.addEventListener("focus", work);
  document.addEventListener("visibilitychange", seen);
  setInterval(seen, EVERY);
  work();
}

// One round after the other; who asks while one goes on gets another one.
export function work() {
  again = true;
  running ??= (async () => {
    try {
      while (again) {
        again = false;
        await navigator.locks.request(LOCK, round);
      }
    } catch (fault) {
      if (!(fault instanceof Locked)) failed(fault);
    } finally {
      running = null;
    }
  })();
  return running;
}

async function round() {
  if (!store.get().standing) return;
  const differs = await sameHome(); // what another device has sealed or fetched comes first
  const may = (one) => allowed().includes(one.box);
  const waiting = (await ask("waiting")).filter(may);
  const why = await sendAll({
    waiting,
    request: (number) => ask("posting", { number }),
    posted: (number, answer) => taken(ask("posted", { number, answer })),
  });
  const sent = waiting.some((one) => !why[one.number]);
  store.set({ post: { ...store.get().post, waiting: waiting.flatMap(({ number, game }) => (why[number] ? { game, why: why[number] } : [])) } });
  if (sent) {
    soon = [...SOON];
    await told({ came: [] }); // it is said before anything is fetched
    if (!store.get().standing) return;
  }
  if (!store.get().standing.keys.some((key) => key.unlocked)) {
    const waits = await pocket.peek(allowed());
    return store.set({ post: { ...store.get().post, waits } });
  }
  for (const name of await ask("pockets")) { // games that are new since
    if (isUnlocked(name) && (await pocket.offer(name))) again = true;
  }
  const readers = (await ask("readers")).filter(may);
  const { came, why: away } = await fetchAll({
    readers,
    request: ({ box, key }) => ask("fetching", { box, key }),
    take: ({ box, key }, answer) => taken(ask("fetched", { box, key, answer })),
  });
  store.set({ post: { ...store.get().post, away } });
  const letters = came.filter(({ received }) => received.arrivals.length || received.faults.length);
  if (letters.length) await told({ came: letters.map((one) => one.received) });
  if (store.get().standing && (!differs || store.get().copy.is_own)) await answer();
  if (sent || letters.length) await sameHome();
  hurry();
}

// One home on several devices: what another one gave to the box is taken over, then the box gets what changed here.
// Returns why that could not be done, in a word or in Python's; "" if it was, or there is no copy.
async function sameHome() {
  const why = await (async () => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const question = await ask("copy_question");
      if (!question || !allowed().some((box) => question.url.startsWith(box))) return "";
      const answer = await carry(question);
      if (answer.status !== 200) return reasonOf(answer);
      const came = await taken(ask("copy_came", { answer: answer.text }));
      if (!came) return "refused";
      if (came.changed) await told({ came: [], said: came.said.map((said) => ({ said })) });
      const given = await ask("copy_put").catch(unlessBug);
      if (typeof given === "string") return given;
      if (!given) return "";
      const put = await carry(given);
      if (put.status === 200) return (await taken(ask("copy_was_put", { answer: put.text }))) ? "" : "refused";
      if (put.status !== 409) return reasonOf(put);
    }
    return "busy";
  })().catch((fault) => {
    if (fault instanceof Away) return "away";
    throw fault;
  });
  store.set({ copy: { ...(await ask("copying")), why } });
  return why;
}

// Before something is sealed: has this device the newest home, or did it give the last copy itself?
export async function isNewest() {
  if (!(await ask("copying")).box) return true;
  const why = await navigator.locks.request(LOCK, sameHome);
  return !why || store.get().copy.is_own;
}

// What needs no decision, in the games whose player has switched that on; what is sealed goes with the next round.
async function answer() {
  const answered = await ask("answer");
  const sealed = answered.filter((one) => one.sealed);
  if (sealed.length) again = true;
  const said = Object.fromEntries(answered.map((one) => [one.game, one.said]));
  store.set({ answering: { lines: await ask("answering"), said } });
  if (sealed.length) await told({ came: [], said: sealed });
}

const isUnlocked = (name) => store.get().standing.keys.some((key) => key.name === name && key.unlocked);

const unlessBug = (fault) => {
  if (fault instanceof Fault) return fault.message;
  throw fault;
};

// What Python refuses of an answer is the box's fault.
const taken = (asked) => asked.then((answer) => answer ?? true, (fault) => {
  if (fault instanceof Fault) return null;
  throw fault;
});

function hurry() {
  clearTimeout(timer);
  const awaits = (line) => line.state === "sent" || (line.state === "joining" && line.joined);
  if (soon.length && store.get().standing?.games.some(awaits)) timer = setTimeout(work, soon.shift());
}
