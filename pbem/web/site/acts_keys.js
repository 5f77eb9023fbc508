// Keys and the home: made, unlocked, saved and removed; joining a game, and what else is signed.
import { address, refresh, showLast } from "./acts_place.js";
import { clearNotes, game, note, once, run } from "./acts_run.js";
import { arrivalOf } from "./arriving.js";
import { ask, hold } from "./ask.js";
import { download, fromBase64, toBase64 } from "./dom.js";
import * as pocket from "./pocket.js";
import * as post from "./post.js";
import * as session from "./session.js";
import { store } from "./state.js";
import * as waking from "./waking.js";
import { words } from "./words.js";

const { get, set } = store;

// A key that was unlocked here is held for the other tabs for a while, where the browser can do that.
async function keepUnlocked(name, minutes) {
  const held = await hold(name);
  if (held) session.share(held, minutes);
}


// What a player types as a name: a telephone likes capitals, and blanks at the end.
const nameIn = (input) => input.value.trim().toLowerCase();

// Firefox asks the player, who may answer later or never: nothing waits for it.
const keepStorage = () => {
  navigator.storage?.persist?.().then((persisted) => set({ persisted }), () => {});
};

export const makeKey = once(({ elements }) => run(async () => {
  clearNotes();
  if (elements.first.value !== elements.second.value) return note(words.notAgain, "fault");
  await ask("make_key", { name: nameIn(elements.name), passphrase: elements.first.value });
  await keepUnlocked(nameIn(elements.name), session.USUAL);
  keepStorage();
  await refresh();
}));

export const unlock = once((name, { elements }) => run(async () => {
  clearNotes();
  await ask("unlock", { name, passphrase: elements.passphrase.value });
  await keepUnlocked(name, Number(elements.minutes.value));
  await refresh();
}));

export const loadHome = (input) => run(async () => {
  clearNotes();
  const [file] = input.files;
  input.value = ""; // the same file may be chosen again
  await ask("load_home", { data: await toBase64(file) });
  keepStorage();
  await refresh();
});

export const saveHome = once(() => run(async () => {
  download("pbem-home.zip", fromBase64(await ask("save_home")), "application/zip");
  set({ confirmSaved: !(get().standing?.saved && get().standing.knows_sent) });
}));

export const haveHome = once(() => run(async () => {
  await ask("saved");
  set({ confirmSaved: false });
  await refresh();
}));

// While keys are locked this browser may see whether letters wait, by a key of its own.
export const offerPocket = (name) => run(async () => {
  await pocket.offer(name);
  await refresh();
  post.work();
});
export const withdrawPocket = (name) => run(async () => {
  await pocket.withdraw(name);
  await refresh();
  post.work();
});

// This device is woken for a club, whose judge gets its address in a signed profile; or no more.
const signAddress = (line, push) => ask("sign", { text: "profile", about: line.game, given: { push }, box: "" });
export const wakeMe = once((line) => run(async () => {
  clearNotes();
  const address = await waking.begin(line.push, words.waking.notice(new URL(line.box).host));
  if (!address) return note(words.waking.refused, "fault");
  await signAddress(line, address);
  await waking.keep(address, line.push);
  await refresh();
  post.work();
}));
export const wakeNoMore = once((line) => run(async () => {
  await signAddress(line, "-");
  await waking.end();
  await refresh();
  post.work();
}));

export const removeHome = ({ elements }) => run(async () => {
  const keys = get().standing?.keys ?? [];
  await ask("remove_home", { name: elements.removed.value.trim() });
  for (const key of keys) await pocket.forget(key.name);
  await waking.end();
  showLast(false);
  session.lock(); // what was removed signs in no tab
  location.hash = "";
  await refresh();
});

export const join = (player, { elements }) => run(async () => {
  clearNotes();
  const [judge, zone, share] = ["judge", "zone", "share"].map((name) => elements[name].value.trim());
  const linked = address()[0] === "join" && address()[2] === judge;
  const name = nameIn(elements.game);
  const box = linked ? arrivalOf(address(), [], post.allowed()).box : "";
  const made = await ask("join", { game: name, player, judge, zone, share, publish: elements.publish.checked, linked, box });
  set({ join: made });
  if (!box) return setTimeout(() => document.getElementById("out")?.scrollIntoView({ block: "nearest" })); // it stands below the form
  location.hash = `#game/${name}`;
  await refresh();
  post.work();
});

// What else is signed: by the post box if there is one, else it is handed to the mail program.
export const sign = (text, about, given, box) => run(async () => {
  clearNotes();
  const made = await ask("sign", { text, about, given, box });
  if (given.new && given.passphrase) await keepUnlocked(given.new, session.USUAL);
  const enters = !about && ["enter", "substitute"].includes(text);
  set({ signed: { ...made, name: text, about: enters ? made.game : about } });
  if (enters) location.hash = `#league/${made.game}`;
  await refresh();
  post.work();
  return true;
});

// What is printed, and kept nowhere.
const SHEET = 60; // exchanges
export const sheet = (name) => run(() => ask("sheet", { game: name, first: Math.max(1, game()?.line.exchange ?? 1), last: (game()?.line.exchange ?? 1) + SHEET }));
export const recoveryKey = (name) => run(() => ask("recovery_key", { name }));
