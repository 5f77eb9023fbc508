// Keys that are unlocked elsewhere, in the worker of Python: what stands for such a key looks like its seed and is
// none. What it would do is asked of the tabs by way of the service worker, while Python waits.
import { browserKeys } from "./held.js";
import { sha512 } from "./lib/hashes/sha2.js";

export const secretOf = (seed) => sha512(seed).subarray(0, 32);
const lent = new Map(); // what stands for a key, or for its half that opens letters, as text -> that key

// `standIn` stands for the seed; Python makes of it what it makes of a seed, so that has a stand-in too.
export function lend({ standIn, ...key }) {
  lent.set(`${standIn}`, key);
  lent.set(`${secretOf(standIn)}`, key);
}

export const lentKey = (secret) => (lent.size ? lent.get(`${secret}`) : undefined);

// One act with a lent key; undefined if it cannot be done, as with a share of low order.
export function actOn(key, act, data) {
  const asked = new XMLHttpRequest();
  asked.open("POST", new URL("./session", import.meta.url), false);
  asked.send(JSON.stringify({ session: act, key: [...key.public], data: [...data] }));
  if (asked.status !== 200) throw new Error("the key was locked in another tab");
  const { done } = JSON.parse(asked.responseText);
  return done ? Uint8Array.from(done) : undefined;
}

// A key that is unlocked here, as the page may hold it for others.
export async function heldOf(name, seed, publicKey, share) {
  return { name, public: publicKey, share, ...(await browserKeys(seed, secretOf(seed))) };
}
