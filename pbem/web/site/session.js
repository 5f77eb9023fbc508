// Keys that are unlocked for a while, for all tabs: a second tab and a reload need not ask for the passphrase again.
// A key is held here as the browser's own object, which signs and agrees and cannot be read out. It lies in the
// memory of tabs; while a page is loaded anew, in that of the service worker; never in a storage.
import { message } from "./dom.js";
import { isHeld, perform } from "./held.js";

const CHANNEL = "pbem-session";
export const TIMES = [15, 60, 480]; // minutes, of which the player chooses
export const USUAL = 60;

let held = null; // {keys: [{name, public, share, sign, agree}], until}
let timer, others, changed = () => {};
const worker = () => navigator.serviceWorker?.controller;

const same = (one, other) => one.length === other.length && one.every((byte, place) => byte === other[place]);

// `change` is called with "locked" or "unlocked" when another tab, or the end of the time, has done that.
export function open(change) {
  changed = change;
  if (!navigator.serviceWorker) return; // private windows: each tab asks
  others = new BroadcastChannel(CHANNEL);
  others.onmessage = ({ data }) => {
    if (data === "locked") drop();
    changed(data);
  };
  navigator.serviceWorker.addEventListener("message", ({ data, ports: [port] }) => answer(data, port));
  navigator.serviceWorker.startMessages();
  addEventListener("pagehide", () => {
    if (isHeld(held)) worker()?.postMessage({ left: held });
    drop();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // others may have locked meanwhile
}

// What the service worker asks for: the keys, for another tab of this page, or one act with one of them.
async function answer({ session, ...given }, port) {
  if (!session) return;
  const mine = isHeld(held) ? held : null;
  if (session === "find") return port.postMessage(mine);
  const key = mine?.keys.find((one) => same(one.public, given.key));
  port.postMessage(key ? { done: await perform(key, session, given.data).catch(() => null) } : null);
}

// The keys that are unlocked here or elsewhere; none if nobody has them.
export async function find() {
  if (!isHeld(held) && worker()) {
    const found = await Promise.race([message(worker(), { session: "find" }), new Promise((done) => setTimeout(done, 2000))]);
    if (isHeld(found)) hold(found);
  }
  return isHeld(held) ? held.keys : [];
}

// A key was unlocked here: it is held for so many minutes, also for the others.
export function share(key, minutes) {
  const keys = [...(isHeld(held) ? held.keys.filter((one) => one.name !== key.name) : []), key];
  hold({ keys, until: Date.now() + minutes * 60_000 });
  others?.postMessage("unlocked");
}

export function lock() {
  drop();
  worker()?.postMessage({ left: null });
  others?.postMessage("locked");
}

function hold(given) {
  held = given;
  clearTimeout(timer);
  timer = setTimeout(() => {
    drop();
    changed("locked");
  }, Math.min(given.until - Date.now(), 2 ** 31 - 1));
}

function drop() {
  held = null;
  clearTimeout(timer);
}
