// This device, woken by the push service of its browser's maker: the browser gives an address for one club's key, and
// a signed profile says it to that club's judge. What comes by it holds not a word; sw.js says that something waits.
import { fromBase64 } from "./dom.js";
import { forgetObject, keepObject, keptObject } from "./store.js";

const PLACE = "waking"; // the address that was signed, and the key for which the browser gave it
export const OFF = { can: false, key: "", lost: false };

// A line of the list of games for each club that wakes devices: the first that has its key.
export const offersIn = (games) => games.filter(({ push }, place) => push && games.findIndex((one) => one.push === push) === place);

// Null where the browser wakes no pages, or has not put this one aside.
async function registered() {
  if (!("PushManager" in globalThis && "Notification" in globalThis)) return null;
  return (await navigator.serviceWorker?.getRegistration()) ?? null;
}

// Can this device be woken, by which club's key was that signed, and has the browser given it up since?
export async function standing() {
  const worker = await registered();
  if (!worker) return OFF;
  const kept = await keptObject(PLACE);
  if (!kept) return { ...OFF, can: true };
  const now = await worker.pushManager.getSubscription();
  return { can: true, key: kept.key, lost: now?.endpoint !== kept.address || Notification.permission !== "granted" };
}

// The address by which a club may wake this device, and what it says then; null if the player or the browser refuses.
export async function begin(key, said) {
  if ((await Notification.requestPermission()) !== "granted") return null;
  const worker = await registered();
  await (await worker.pushManager.getSubscription())?.unsubscribe(); // of another club, or given up
  const applicationServerKey = fromBase64(key.replaceAll("-", "+").replaceAll("_", "/"));
  try {
    const { endpoint } = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
    worker.active.postMessage({ notice: said });
    return endpoint;
  } catch {
    return null; // no push service, or it cannot be reached
  }
}

export const keep = (address, key) => keepObject(PLACE, { address, key });

export async function end() {
  await (await (await registered())?.pushManager.getSubscription())?.unsubscribe();
  await forgetObject(PLACE);
}
