// Everything that the page does: an act asks Python, and puts what came of it into the store.
import { arrivalOf, lookOf, routeOf } from "./arriving.js";
import * as audits from "./audits.js";
import { ask, Fault, hold, lend, Locked, lock, Overdue, prepare, start } from "./ask.js";
import { download, fromBase64, isFilledIn, message, toBase64 } from "./dom.js";
import { cardsOf as cardsFor } from "./cards.js";
import { TRAVELS } from "./chips.js";
import * as drafts from "./draft.js";
import { isWanted, keep, lastTable, want } from "./last.js";
import { chosenBlock } from "./pins.js";
import * as pocket from "./pocket.js";
import * as post from "./post.js";
import * as session from "./session.js";
import { store } from "./state.js";
import { nextBattle } from "./steps.js";
import { namesOfKeys } from "./store.js";
import * as waking from "./waking.js";
import { words } from "./words.js";

const QUIET = 3000; // milliseconds after a start, before the next one is prepared
const PAUSE = 120; // milliseconds of quiet before a draft is looked at
const { get, set } = store;
const game = () => get().game;
const PRACTICE = "practice", TRY = "try";
// Questions about what lies on a table: a game of the home, one against a bot, or one that is tried out.
const about = (opened, call, given = {}) =>
  opened.practice ? ask(call, given, opened.practice) : ask(call, { game: opened.line.game, ...given });
export const addressOf = (opened) =>
  opened.tried ? `#${TRY}/${opened.tried.game}` : opened.practice ? `#${PRACTICE}` : `#game/${opened.line.game}`;

// Notes, faults, and how an act is run

export const note = (said, kind = "note", pre, about = words.unreadText) =>
  set((now) => ({ notes: [...now.notes, { said, kind, pre, about, id: (now.notes.at(-1)?.id ?? 0) + 1 }].slice(-4) }));
export const closeNote = (id) => set((now) => ({ notes: now.notes.filter((one) => one.id !== id) }));
const clearNotes = () => set({ notes: [] });
// Whoever goes on has read what came; faults stay until they are closed.
const goOn = (change) => set((now) => ({ ...change, notes: now.notes.filter((one) => one.kind === "fault") }));

// A fault in the words of Python, an end to what took too long, or a bug.
export function told(fault) {
  if (fault instanceof Locked) return undefined;
  if (fault instanceof Overdue) {
    refresh(); // Python has begun anew, and asks for the passphrase
    return note(words.overdue, "fault");
  }
  note(fault instanceof Fault ? fault.message : words.bug(fault.message), "fault");
}

// What is pressed before Python is there waits for it.
let pythonCame;
const python = new Promise((done) => { pythonCame = done; });

async function run(act) {
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
function once(act) {
  let running;
  return (...given) => (running ??= act(...given).finally(() => { running = undefined; }));
}

// Where one is

const address = () => routeOf(location.hash);

export const isUnlocked = (standing) => standing.keys.some((key) => key.unlocked);

export async function refresh() {
  await run(async () => {
    const route = address();
    let standing;
    try {
      standing = await ask("standing");
      if (standing.keys.length && !isUnlocked(standing) && (await borrow(standing))) standing = await ask("standing");
    } catch (fault) {
      if (fault instanceof Locked) return undefined;
      const names = await ask("names").catch(() => null); // not where the storage itself is broken
      return set({ phase: "trouble", trouble: { said: fault.message || words.overdue, home: true }, names, route });
    }
    const names = standing.keys.length ? await ask("names") : null;
    const judges = await knownJudges(route);
    const invited = route[0] === "join" && standing.games.find((one) => one.game === route[1] && one.state !== "joining");
    if (invited && judges.includes(route[2])) { // the game of the link is here already
      route.splice(0, route.length, "game", invited.game);
      history.replaceState(null, "", `#game/${invited.game}`);
    }
    const line = route[0] === "game" && isUnlocked(standing) && standing.games.find((one) => one.game === route[1]);
    const practice = route[0] === PRACTICE || (route[0] === TRY && isUnlocked(standing)) ? route[0] : "";
    if (practice && game()?.practice !== practice) set({ route, standing, game: null }); // what is missing is being fetched
    const opened = practice === TRY ? await openedTry(route[1]) : practice ? await openedPractice() : line ? await openedGame(line) : null;
    const before = get();
    const leagues = isUnlocked(standing) ? await ask("leagues") : [];
    const pockets = post.allowed().length ? await ask("pockets") : [];
    const woken = isUnlocked(standing) && waking.offersIn(standing.games).length ? await waking.standing() : waking.OFF;
    if (["0", "1"].some((part) => address()[part] !== route[part])) return undefined; // whoever has gone elsewhere sees that
    set({ phase: "ready", trouble: null, pockets, waking: woken, leagues, route, judges, standing, names, game: opened, ...(opened ? belongings(opened, before) : {}) });
    if (route[0] === "about") await readAbout(standing);
    if (!opened?.shown) return;
    if (!practice && get().showsLast) set({ last: keep(opened.shown) });
    look(0);
    if (get().tab === "story" && !get().story.svg) goToStep(get().step);
    run(() => afterLook(opened)); // not awaited: the next tap counts as soon as the game is seen
  });
}

async function afterLook(opened) {
  if (!get().unseen) await about(opened, "looked", { exchange: opened.shown.exchange });
  if (opened.practice) return;
  const privateNotes = await about(opened, "private_notes");
  if (game()?.line.game === opened.line.game) set({ privateNotes });
}

// Keys that are unlocked in another tab, or were so before this one was loaded anew.
async function borrow({ keys }) {
  let borrowed = 0;
  for (const key of await session.find()) {
    if (!keys.some((one) => one.name === key.name)) continue;
    const standIn = crypto.getRandomValues(new Uint8Array(32));
    lend({ standIn, public: key.public, share: key.share });
    try {
      await ask("borrow", { name: key.name, stand_in: await toBase64(new Blob([standIn])) });
      borrowed += 1;
    } catch (fault) {
      if (!(fault instanceof Fault)) throw fault;
    }
  }
  return borrowed;
}

// A key that was unlocked here is held for the other tabs for a while, where the browser can do that.
async function keepUnlocked(name, minutes) {
  const held = await hold(name);
  if (held) session.share(held, minutes);
}

// Is the last table seen before the passphrase?
export function showLast(wanted) {
  want(wanted);
  set({ showsLast: isWanted(), last: null });
}

// All tabs, at once.
export function lockNow() {
  session.lock();
  locked();
}

function locked() {
  const { standing, phase } = get();
  if (!standing || phase === "starting") return;
  clearTimeout(timer);
  lock();
  location.hash = "";
  set({ standing: { ...standing, keys: standing.keys.map((key) => ({ ...key, unlocked: false })) }, leagues: [], signed: null, game: null, privateNotes: null, draft: null, story: null, join: null, revealed: null, route: [""] });
  refresh();
}

// The judge's keys that are known for the game of a link; a name that no game can have is told when it is signed.
const knownJudges = ([view, name]) => (view === "join" && name ? ask("judges", { game: name }).catch(() => []) : []);

async function openedGame(line) {
  if (line.last_report === null) return { line, shown: null, sealed: null };
  const shown = withNames(await ask("show", { game: line.game }));
  const sealed = ["sealed", "handed over", "to be sent", "sent"].includes(line.state) ? await ask("last_sealed", { game: line.game }) : null;
  const missed = line.since >= 0 ? shown.reports.filter((number) => number > line.since) : [], told = missed[0] ?? shown.exchange;
  const steps = told ? await ask("story", { game: line.game, exchange: told }) : [];
  return { line, shown, sealed, steps, told, missed };
}

const withNames = (shown) => ({ ...shown, names: [...new Set([...shown.svg.matchAll(/data-name="([^"]*)"/g)].map((found) => found[1]))] });

// The game against the bot, which is begun where there is none.
async function openedPractice() {
  let shown;
  try {
    shown = await ask("show", {}, PRACTICE);
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault;
    await ask("begin", {}, PRACTICE);
    shown = await ask("show", {}, PRACTICE);
  }
  return onTable(shown, PRACTICE);
}

async function onTable(shown, practice) {
  const steps = await ask("story", { exchange: shown.exchange }, practice);
  return { line: shown.line, shown: withNames(shown), sealed: null, steps, practice };
}

// What is tried out of a game; it is begun from where the game stands if something else was tried out, or nothing.
async function openedTry(name) {
  const kept = await ask("tried", {}, TRY).catch((fault) => { if (!(fault instanceof Fault)) throw fault; });
  if (kept?.game !== name) await ask("begin", { game: name }, TRY);
  const tried = await ask("tried", {}, TRY);
  return { ...(await onTable(await ask("show", {}, TRY), TRY)), tried, choosing: await ask("hidden", {}, TRY) };
}

// What belongs to a game, kept while the same exchange of the same game is open.
// Whoever comes back after several exchanges begins with the first one that was missed; whoever writes stays there, and the
// story says that something new is in it.
function belongings({ line, shown, steps, told, missed, practice, tried }, before) {
  const known = before.game;
  const same = known?.line.game === line.game && known.practice === practice && known.tried?.side === tried?.side;
  const sameDraft = same && known.line.exchange === line.exchange && before.draft;
  const sameReport = same && known.shown?.exchange === shown?.exchange && before.story;
  const fresh = line.new && shown?.exchange > 0 && !sameReport, writes = same && !practice && isWriting(before); // what is played against the bot is sent
  return {
    kept: writes ? before.kept || known.line.state : "",
    unseen: Boolean(same && (before.unseen || (writes && fresh))),
    ...(same ? {} : { privateNotes: null, marking: false, picked: [], back: null }),
    ...(sameDraft ? {} : { draft: drafts.createDraft(shown?.draft ?? ""), study: null, forecast: null, advance: false }),
    ...(sameReport ? {} : { story: { exchange: told ?? shown?.exchange ?? 0, steps: steps ?? [], svg: "" }, step: 0, missed: missed ?? [], revealed: null }),
    ...(fresh && !writes ? { tab: "story" } : same ? {} : { tab: "orders" }),
  };
}

// Orders that are not sent, or any form.
const isWriting = ({ tab, draft, game: { line } }) =>
  (tab === "orders" && line.state === "draft" && draft?.past.length > 0) || isFilledIn(document.getElementById("body"));

export function showTab(tab) {
  goOn({ tab });
  if (tab === "story") goToStep(get().step);
  else history.replaceState(null, "", addressOf(game()));
}

// An address may name a step of a report: #game/NAME/story/EXCHANGE/STEP.
async function followLink() {
  const { route, game: opened } = get();
  const [view, exchange, step] = route.slice(route[0] === PRACTICE ? 1 : 2); // #try/NAME/... is as #game/NAME/...
  if (view === "story" && opened?.shown?.reports.includes(Number(exchange))) await showReport(Number(exchange), Number(step) || 0);
}

export async function open(step) {
  set({ held: false, last: lastTable(), showsLast: isWanted(), route: address() });
  const follow = () => set({ route: address() });
  window.addEventListener("hashchange", follow);
  session.open((what) => (what === "locked" ? locked() : get().standing && !isUnlocked(get().standing) && refresh()));
  set({ standing: await firstStanding() });
  await keepSite();
  session.find(); // before Python is there: what a tab has left behind while it is loaded anew is not kept for long
  try {
    await start((held) => set({ held }));
  } catch (fault) {
    return set({ phase: "trouble", standing: null, trouble: { said: fault.message, home: false } });
  }
  pythonCame();
  window.removeEventListener("hashchange", follow);
  navigator.storage?.persisted?.().then((persisted) => set({ persisted }));
  window.addEventListener("hashchange", () => {
    clearNotes();
    refresh().then(followLink).then(step);
  });
  await refresh();
  await followLink();
  post.open(carried, told);
  ask("warm_up").then(() => setTimeout(prepare, QUIET), () => {}); // what comes next is made ready while the player looks
}

// What is known of the home before Python is there: whether one has been here before, and under which names.
async function firstStanding() {
  try {
    const keys = await namesOfKeys();
    if (keys.length && (await session.find()).length) return null; // no passphrase is asked for
    return { keys: keys.map((name) => ({ name, fingerprint: "", unlocked: false })), games: [], saved: true, knows_sent: true };
  } catch {
    return null; // a storage that is broken: what to do then is said when Python is there
  }
}

async function keepSite() {
  if (!("serviceWorker" in navigator)) return;
  try {
    const { installing } = await navigator.serviceWorker.register("sw.js", { type: "classic", updateViaCache: "none" });
    const failed = new Promise((done) => installing?.addEventListener("statechange", () => installing.state === "redundant" && done()));
    await Promise.race([navigator.serviceWorker.ready, failed]); // it fails where a file is missing, or there is no room
  } catch {
    // private windows and plain hosts: the page works, but only with a network
  }
}

// Keys and the home

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

// Mail in

const HASH = /SHA256:|[0-9a-f]{64}/;

// What came in a line for each game and exchange; what has remarks of its own has a line of its own. What is to be
// compared with something else stands apart.
function arrived(arrivals) {
  const lines = new Map();
  for (const one of arrivals) {
    const what = one.kind === "report" && one.exchange === 0 ? words.invitation.toLowerCase() : words.kinds[one.kind] ?? one.kind;
    const about = [one.game, one.exchange, one.new, one.remarks.length ? lines.size : ""].join("\n");
    const line = lines.get(about) ?? { ...one, kinds: [] };
    if (!line.kinds.includes(what)) line.kinds.push(what);
    lines.set(about, line);
  }
  const said = [...lines.values()].flatMap((one) =>
    [`${words.came(one.game, one.kinds.join(", "), one.exchange)}${one.new ? "" : ` (${words.known})`}`, ...one.remarks]);
  const proof = said.filter((one) => HASH.test(one));
  return [said.filter((one) => !proof.includes(one)).join("\n"), "note", ...(proof.length ? [proof.join("\n"), words.proof] : [])];
}

// Is something that came on the screen anyway? The state of a game tells of its receipts and copies, and its own page
// shows the report; a remark is told always.
const SHOWN = ["receipt", "words", "forecast", "box", "orders", "copy"];
const isSeen = (one) => !one.remarks.length &&
  (SHOWN.includes(one.kind) || (one.kind === "report" && game()?.line.game === one.game && game().shown?.exchange === one.exchange));

// What the post box has taken, or has brought. Nobody has asked for it just now, so it takes nobody elsewhere.
async function carried({ came, said = [] }) {
  await refresh();
  for (const one of said) note(one.game ? `${one.game}: ${one.said}` : one.said);
  const fresh = came.flatMap((one) => one.arrivals).filter((one) => one.new && !isSeen(one));
  if (fresh.length) note(...arrived(fresh));
  for (const [source, fault] of came.flatMap((one) => one.faults)) note(`${source}: ${fault}`, "fault");
}

// Files, or text. Says what each was, and goes on to the game it was about.
export const receive = (given) => run(async () => {
  clearNotes();
  if (!given.length) return note(words.nothing, "fault");
  const bundle = await audits.bundleAmong(given);
  if (bundle) return void audits.begin(...bundle);
  const files = await Promise.all(given.map(async ([name, blob]) => [name, await toBase64(blob)]));
  let received;
  try {
    received = await ask("receive", { given: files });
  } catch (fault) {
    if (!(fault instanceof Overdue)) throw fault;
    told(fault);
    if (given.length > 1) return note(words.oneByOne, "fault");
    const [[name, blob]] = given;
    return note(words.unread(name), "fault", await blob.slice(0, 100_000).text());
  }
  const games = [...new Set(received.arrivals.map((one) => one.game).filter(Boolean))];
  if (games.length === 1 && address()[1] !== games[0]) history.pushState(null, "", `#${games[0].startsWith("league.") ? "league" : "game"}/${games[0]}`);
  await refresh();
  if (received.arrivals.length) note(...arrived(received.arrivals));
  for (const [source, fault] of received.faults) note(`${source}: ${fault}`, "fault");
});

export const receiveFiles = (input) => {
  const files = [...input.files].map((one) => [one.name, one]);
  input.value = ""; // the same files may be chosen again
  return receive(files);
};
export const receiveText = (text) => receive(text.trim() ? [[words.pasted, new Blob([text])]] : []);
export const receiveDrop = (dropped) => {
  const folder = [...dropped.items].map((one) => one.webkitGetAsEntry?.()).find((one) => one?.isDirectory);
  if (folder) return run(async () => void audits.begin(folder.name, await audits.filesBelow(folder)));
  const files = [...dropped.files].map((one) => [one.name, one]);
  return files.length ? receive(files) : receiveText(dropped.getData("text/plain"));
};

// Mail out. The page itself sends no mail, and never says that one was sent.

const fileOf = (made) => new File([made.text], made.file, { type: "text/plain" });
export const canShare = (made) => Boolean(navigator.canShare?.({ files: [fileOf(made)] }));
export const takeText = (made) => download(made.file, made.text, "text/plain");
export const takeMail = (made) => download(made.file.replace(/txt$/, "eml"), made.eml, "message/rfc822");
export const share = (made) => navigator.share({ files: [fileOf(made)], title: made.subject }).catch(() => {});
export const copy = async (made) => {
  try {
    await navigator.clipboard.writeText(made.text);
    note(words.copied);
  } catch {
    note(words.cannotCopy, "fault");
  }
};

// Signs and seals what is written; what was sealed goes on to the mail program, by what the device has for it.
export const seal = once(() => run(async () => {
  const { line } = game();
  const sends = canSend(line);
  if (sends && !(await isNewest(line))) return undefined;
  const made = await ask("seal", { game: line.game, text: line.exchange === 1 ? "" : get().draft.text, post: sends });
  const back = await ask("end_absence", { game: line.game, post: sends });
  await refresh();
  if (back) note(words.talk.back);
  set({ back: sends ? null : back });
  set({ tab: "orders", taps: 0 }); // what is to be mailed stands at the top: nothing draws the eye to what may be added
  if (sends) post.work();
  else if (canShare(made)) share(made);
  else takeText(made);
}));

// A deadline that somebody asks for, or ("") a day more: signed for the judge, who moves it once all have signed.
export const giveTime = (line, time) => run(async () => {
  const sends = canSend(line);
  const made = await ask("more_time", { game: line.game, time, post: sends });
  await refresh();
  if (sends) post.work();
  return made;
});

// By the post box: what was sealed last, or what waits already.
export const canSend = (line) => post.canSend(line);
export const whyWaits = post.whyOf;
export const allowedBoxes = post.allowed;
export const send = once(() => run(async () => {
  await ask("send", { game: game().line.game });
  await refresh();
  post.work();
}));
export const carry = once(() => run(() => post.work()));

export const handed = once(() => run(async () => {
  const { line, sealed } = game();
  await ask("handed", { game: line.game, exchange: sealed.exchange, rev: sealed.rev });
  await refresh();
}));

// In games where orders do not carry it, the player's part of the dice goes out after the close.
export const reveal = once(() => run(async () => {
  const { line } = game();
  const sends = canSend(line);
  if (sends && !(await isNewest(line))) return undefined;
  const revealed = await ask("reveal", { game: line.game, post: sends });
  if (sends) await post.work();
  if (!sends || post.whyOf(get(), line)) return set({ revealed });
  note(words.revealTaken);
}));

// One home on several devices, by a sealed copy in a post box. What another one has just done is looked at before anything
// is signed here.
async function isNewest(line) {
  if (!(await post.isNewest())) return note(words.homeCopy.notNewest, "fault");
  const now = game()?.line;
  if (now?.exchange === line.exchange && now.state === line.state) return true;
  return note(words.homeCopy.otherDevice, "fault");
}
export const keepCopy = (name, box) => run(async () => {
  await ask("keep_copy", { name, box });
  await post.work();
});
export const showSheet = () => run(async () => note(words.homeCopy.sheetText, "note", await ask("copy_sheet"), words.homeCopy.sheet));

export const answerByItself = (game, hours) => run(async () => {
  await ask("answer_by_itself", { game, hours });
  await post.work();
});

// A game against the bot: it answers at once, and nothing leaves the device.

export const playTurn = once(() => run(async () => {
  clearTimeout(timer);
  await ask("play", { text: get().draft.text }, game().practice);
  await refresh();
}));

// A game that is tried out: it begins from where the player stands, or from a step of a report's story.
const changeTry = (call, given) => run(async () => {
  clearTimeout(timer);
  await ask(call, given, TRY);
  set({ game: null, draft: null, story: null });
  await refresh();
});
export const tryOut = (name, given = {}) => run(async () => {
  await ask("begin", { game: name, ...given }, TRY);
  location.hash = `#${TRY}/${name}`;
});
export const throwAgain = () => changeTry("throw_again");
export const takeBack = () => changeTry("take_back");
export const beginTryAgain = (given) => changeTry("begin_again", given);
export const leaveTry = () => { location.hash = `#game/${game().tried.game}`; };
export const beginPractice = (name, side) => run(async () => {
  clearTimeout(timer);
  await ask("begin", { game: name, side }, PRACTICE);
  set({ game: null, draft: null, story: null, hints: true });
  await refresh();
});
export const showChoices = () => get().choices ?? run(async () => set({ choices: await ask("choices", {}, PRACTICE) }));
export const hideHints = () => set({ hints: false });
export const leavePractice = () => { location.hash = ""; };

// Orders. What may follow comes from Python; nothing is decided here.

let timer, turn = 0;

export const mayOrder = (line) => ["draft", "sealed", "handed over", "to be sent", "sent", "receipted", "refused", "late", "another file"].includes(line.state);
export const isOpen = (line) => mayOrder(line) && line.exchange !== 1;

function changeDraft(draft) {
  if (draft === get().draft) return;
  set({ draft, forecast: null });
  look();
}

export function look(pause = PAUSE) {
  clearTimeout(timer);
  timer = setTimeout(() => looked().catch(told), pause);
}

const offersTo = (said) => about(game(), "offers", { line: said, above: drafts.above(get().draft, said) });

async function looked() {
  const now = get();
  if (!now.game?.shown || !isOpen(now.game.line)) return set({ light: [], offers: { found: [], how: "put", title: "", line: "" } });
  const mine = ++turn, { draft } = now, line = drafts.lineAt(draft);
  let found = await offersTo(line);
  const whole = !found.length && line.trim(); // nothing can be added: another line is what comes next
  if (whole) found = await offersTo("");
  // An order that is whole, and to which others can be added: what may begin another is lit as well.
  const stands = line.trim() && found.length && found.every((offer) => (offer.said ?? offer.line).trim().startsWith(`${line.trim()},`));
  const others = stands && !whole ? lit(await offersTo("")) : [];
  if (mine !== turn) return;
  const begins = whole ? [] : /^\s*(if [^_]*:\s*)?$/.exec(line); // of an order, perhaps after its condition
  set({
    offers: {
      found: begins ? beginnings(found, (begins[1] ?? "").replace(/:\s*$/, ": ")) : found,
      how: whole ? "begin" : "put",
      title: whole ? words.another(line.trim()) : line.trim() ? words.next(line.trim()) : words.begin,
      line: whole ? "" : line.trim(),
      sorted: Boolean(begins || whole) && !drafts.depthAt(draft),
    },
    light: begins || whole ? lit(found) : [...found, ...others],
    ...(whole || !line.trim() ? { starts: found } : {}),
  });
  await about(now.game, "keep_draft", { text: draft.text });
  const study = draft.text.trim() ? await about(now.game, "check", { text: draft.text }) : null;
  if (mine === turn) set({ study });
}

export const cardsOf = ({ starts = [], game: opened }, question) => cardsFor(starts, question, opened?.shown?.cards);

// What is asked now, and what moves, is lit; what may be said in advance is not.
function lit(found) {
  const verbs = game().shown.questions.filter((one) => one.now).flatMap((one) => one.verbs);
  const now = found.filter((offer) => offer.verb === TRAVELS || verbs.includes(offer.verb));
  return now.some((offer) => game().shown.names.includes(offer.name)) ? now : found;
}

// At the beginning of an order each verb stands once: whom it is about comes next.
function beginnings(found, before) {
  const verbs = new Map();
  for (const offer of found) verbs.set(offer.verb, [...(verbs.get(offer.verb) ?? []), offer]);
  return [...verbs].flatMap(([verb, all]) =>
    all.length > 3 ? [{ verb, said: `${verb} …`, line: `${before}${verb} ` }, ...all.filter((offer) => !offer.name)] : all);
}

export const typed = (text, at) => {
  set({ draft: drafts.typed(get().draft, text, at), forecast: null });
  look();
};
export const goToLine = (at) => changeDraft(drafts.goTo(get().draft, at));
export const undo = () => changeDraft(drafts.undo(get().draft));
export const redo = () => changeDraft(drafts.redo(get().draft));
export const removeRow = (at) => changeDraft(drafts.remove(get().draft, at));
export const moveRow = (at, way) => changeDraft(drafts.move(get().draft, at, way));
export const clear = () => changeDraft(drafts.put({ ...get().draft, text: "", at: 0, past: [...get().draft.past, get().draft] }, ""));
export const newLine = () => changeDraft(drafts.append(get().draft, ""));
export const showText = (asText) => set({ asText });
export const orderAhead = () => set({ advance: true });

export function take(offer) {
  const { draft, offers } = get();
  changeDraft(offers.how === "begin" ? drafts.begin(draft, offer.line) : drafts.put(draft, offer.line));
}

// A card that answers a question: another one takes its place, and it is taken back by a second tap.
export function choose(offer, verbs, several) {
  const { draft } = get();
  const all = drafts.rows(draft.text).filter((row) => !row.depth && verbs.some((verb) => `${row.said} `.startsWith(`${verb} `)));
  const same = all.find((row) => row.said === offer.line || row.said.startsWith(`${offer.line} `));
  if (same) return changeDraft(drafts.remove(draft, same.at));
  const begun = several ? all.find((row) => verbs.includes(row.said)) : all[0];
  if (begun) return changeDraft(drafts.put(drafts.goTo(draft, begun.at), offer.line));
  changeDraft(drafts.append(draft, offer.line));
}

// Something on the picture was tapped: the line at hand goes on, or another begins. `upon` lies on it, it lies on `below`.
export const taken = (name, upon = [], below = []) => run(async () => {
  if (get().marking) return pick([name, ...upon, ...below]);
  clearTimeout(timer);
  const now = get();
  if (!now.game?.shown || !isOpen(now.game.line) || (now.game.shown.idle && !now.advance)) return;
  const line = drafts.lineAt(now.draft);
  const fitting = async (said, ...names) => (await offersTo(said)).filter((offer) => names.includes(offer.name));
  let how = "put";
  let found = line.trim() ? await fitting(line, name) : [];
  if (!found.length && line.trim()) found = await fitting(line, ...below);
  if (!found.length) {
    how = "begin";
    found = await fitting("", name, ...upon);
  }
  if (!found.length) return look();
  const begin = (offer) => (how === "begin" ? drafts.begin(now.draft, offer.line, true) : drafts.put(now.draft, offer.line));
  set((state) => ({ tab: "orders", taps: state.taps + 1 }));
  if (found.length === 1) return changeDraft(begin(found[0]));
  const meant = how === "begin" && found.filter((offer) => offer.verb === TRAVELS);
  const onward = meant.length === 1 ? await about(now.game, "offers", { line: meant[0].line, above: "" }) : [];
  if (!onward.some((offer) => offer.clause)) { // it goes nowhere
    return set({ offers: { found, how, title: name, line: "" } });
  }
  // Where it goes comes next; what else may be done with it is a tap away.
  clearTimeout(timer);
  turn += 1;
  set({
    draft: begin(meant[0]), forecast: null, light: onward,
    offers: { found: found.filter((offer) => offer !== meant[0]), how: "begin", title: words.whereTo(meant[0].name), line: "", sorted: true },
  });
});

// Private notes. They are kept in the home, and nothing that leaves it knows of them.

const noted = (call, given) => run(async () => {
  set({ privateNotes: await about(game(), call, given), picked: [] });
  return true;
});
export const keepNote = ({ elements }) => noted("write_private_note", { text: elements.text.value });
export const removeMark = (number) => noted("remove_mark", { number });
export const pickBlock = () => set((now) => ({ marking: !now.marking }));
export const markBlock = async (form) => {
  const { side, area, name } = get().privateNotes.blocks[form.elements.block.value];
  if (await noted("mark_block", { side, area, name, text: form.elements.text.value })) form.elements.text.value = "";
};

// What was tapped is the block to mark, if one stands there.
function pick(names) {
  if (chosenBlock(get().privateNotes.blocks, names) < 0) return note(words.privateNotes.noBlock(names[0]));
  set({ marking: false, picked: names, tab: "table" });
}

export const foretell = () => run(async () => {
  const { draft } = get();
  set({ forecast: "busy" });
  try {
    set({ forecast: (await about(game(), "check", { text: draft.text, forecast: true })).forecast });
  } catch (fault) {
    set({ forecast: null });
    throw fault;
  }
});

// The story

let playing;

export function goToStep(place) {
  const { story } = get();
  const step = Math.max(0, Math.min(story.steps.length - 1, place));
  set({ step });
  if (get().tab === "story" && get().unseen) {
    set({ unseen: false });
    run(() => afterLook(game()));
  }
  if (get().tab === "story" && story.steps.length && !lookOf(get().route)) {
    history.replaceState(null, "", `${addressOf(game())}/story/${story.exchange}/${step}`);
  }
  showStep(story, step).catch(told);
}

// The picture after a step. Whoever steps on meanwhile sees that of the later one.
async function showStep(story, step) {
  if (!story.steps.length) return;
  const { svg } = await about(game(), "story_picture", { exchange: story.exchange, step });
  if (get().story.exchange === story.exchange && get().step === step) set((now) => ({ story: { ...now.story, svg } }));
}
export function nextStep(way) {
  const { story, step, missed } = get(), next = missed?.find((number) => number > story.exchange);
  if (way > 0 && next && step >= story.steps.length - 1) return showReport(next);
  goOn({ tab: "story" });
  goToStep(step + way);
}
export const toNextBattle = () => goToStep(nextBattle(get().story.steps, get().step));
export function play(pace = 1600) {
  clearInterval(playing);
  const begins = !get().playing;
  set({ playing: begins, tab: "story" });
  goToStep(get().step);
  if (!begins) return;
  if (get().step >= get().story.steps.length - 1) goToStep(0);
  playing = setInterval(() => {
    if (get().step < get().story.steps.length - 1) return nextStep(1);
    clearInterval(playing);
    set({ playing: false });
  }, pace);
}

// The whole game so far, from the player's own reports.
export async function lookBack(opened) {
  const { story, feared } = await about(opened, "look_back");
  return opened.practice ? { story } : { story, feared, notes: await about(opened, "private_notes") };
}

export const showReport = (number, step = 0) => run(async () => {
  const steps = await about(game(), "story", { exchange: number });
  set({ tab: "story", story: { exchange: number, steps, svg: "" } });
  goToStep(step);
  if (get().missed?.at(-1) === number) await about(game(), "went_through", { exchange: number });
});

// What the page is

async function readAbout(standing) {
  const sums = await (await fetch("SHA256SUMS")).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", sums));
  const digest = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const recommended = standing.keys.length ? await ask("recommended") : [];
  const worker = (await navigator.serviceWorker?.getRegistration())?.active;
  set({ about: { digest, recommended, offline: Boolean(worker), ...(worker ? await message(worker, "version") : {}) } });
}

export const takeVersion = () => run(async () => {
  const worker = (await navigator.serviceWorker.getRegistration()).active;
  await message(worker, "take");
  set((now) => ({ about: { ...now.about, taken: true } }));
});

export const reload = () => location.reload();
