// Keys that are unlocked elsewhere, in the worker of Python: what stands for such a key looks like its seed and is
// none. What it would do is asked of the tabs by way of the service worker, while Python waits.
import { sha512 } from "./lib/hashes/sha2.js";

const lent = new Map(); // what stands for a key, or for its half that opens letters, as text -> that key

// `standIn` stands for the seed; Python makes of it what it makes of a seed, so that has a stand-in too.
export function lend({ standIn, ...key }) {
  lent.set(`${standIn}`, key);
  lent.set(`${sha512(standIn).subarray(0, 32)}`, key);
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

// The browser's own objects for a seed, which cannot be read out. Not every browser has them: then nothing is shared.
export async function heldOf(name, seed, publicKey, share) {
  const kept = (algorithm, mark, secret, uses) =>
    crypto.subtle.importKey("pkcs8", Uint8Array.from([...HEAD, mark, ...TAIL, ...secret]), algorithm, false, uses);
  const [sign, agree] = await Promise.all([
    kept("Ed25519", 0x70, seed, ["sign"]),
    kept("X25519", 0x6e, sha512(seed).subarray(0, 32), ["deriveBits"]),
  ]);
  return { name, public: publicKey, share, sign, agree };
}

const HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65], TAIL = [4, 0x22, 4, 0x20];
