// How an act is run: what it says, what waits for Python, and what counts once.
import { ask, Fault, Locked, Overdue } from "./ask.js";
import { store } from "./state.js";
import { words } from "./words.js";

export const PRACTICE = "practice", TRY = "try";
const { get, set } = store;
export const game = () => get().game;
// Questions about what lies on a table: a game of the home, one against a bot, or one that is tried out.
export const about = (opened, call, given = {}) =>
  opened.practice ? ask(call, given, opened.practice) : ask(call, { game: opened.line.game, ...given });
export const addressOf = (opened) =>
  opened.tried ? `#${TRY}/${opened.tried.game}` : opened.practice ? `#${PRACTICE}` : `#game/${opened.line.game}`;

export const note = (said, kind = "note", pre, about = words.unreadText) =>
  set((now) => ({ notes: [...now.notes, { said, kind, pre, about, id: (now.notes.at(-1)?.id ?? 0) + 1 }].slice(-4) }));
export const closeNote = (id) => set((now) => ({ notes: now.notes.filter((one) => one.id !== id) }));
export const clearNotes = () => set({ notes: [] });
// Whoever goes on has read what came; faults stay until they are closed.
export const goOn = (change) => set((now) => ({ ...change, notes: now.notes.filter((one) => one.kind === "fault") }));

let lookAgain; // what is done when Python had to begin anew, and asks for the passphrase
export const whenOverdue = (act) => { lookAgain = act; };

// A fault in the words of Python, an end to what took too long, or a bug.
export function told(fault) {
  if (fault instanceof Locked) return undefined;
  if (fault instanceof Overdue) {
    lookAgain();
    return note(words.overdue, "fault");
  }
  note(fault instanceof Fault ? fault.message : words.bug(fault.message), "fault");
}

// What is pressed before Python is there waits for it.
let pythonCame;
const python = new Promise((done) => { pythonCame = done; });
export const beginActs = () => pythonCame();

export async function run(act) {
  set((now) => ({ busy: now.busy + 1 }));
  try {
    await python;
    return await act();
  } catch (fault) {
    told(fault);
  } finally {
    set((now) => ({ busy: now.busy - 1 }));
  }
}

// Who taps twice means it once.
export function once(act) {
  let running;
  return (...given) => (running ??= act(...given).finally(() => { running = undefined; }));
}
