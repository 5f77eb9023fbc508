// The fetch key of this browser: its own object, which signs and cannot be read out. With it a page whose keys are locked
// sees whether letters wait. Python says what it signs, and what came of it.
import { ask } from "./ask.js";
import { toBase64, fromBase64 } from "./dom.js";
import { Away, carry } from "./outbox.js";
import { forgetObject, keepObject, keptObject } from "./store.js";

const placeOf = (name) => `pocket ${name}`;

// Makes one for a key that is unlocked, or takes the one that is here, and lets it be named to the judges.
export async function offer(name) {
  const pair = (await keptObject(placeOf(name))) ?? (await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]));
  await keepObject(placeOf(name), pair);
  const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
  return ask("offer", { name, public: await toBase64(new Blob([raw])) });
}

export async function withdraw(name) {
  await ask("withdraw", { name });
  await forget(name);
}

export const forget = (name) => forgetObject(placeOf(name));

// How many letters wait at the boxes with which the page may talk; null if none could be asked.
export async function peek(allowed) {
  let count = null;
  for (const { box, key, time, message } of await ask("peeks")) {
    const pair = allowed.includes(box) && (await keptObject(placeOf(key)));
    if (!pair) continue;
    const signed = await crypto.subtle.sign("Ed25519", pair.privateKey, fromBase64(message));
    const signature = await toBase64(new Blob([signed]));
    try {
      const { status, text } = await carry(await ask("peeking", { box, key, time, signature }));
      if (status === 200) count = (count ?? 0) + (await ask("peeked", { box, key, answer: text }));
    } catch (fault) {
      if (!(fault instanceof Away)) throw fault;
    }
  }
  return count;
}
