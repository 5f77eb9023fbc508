// Where one is: what the address names is asked for, and shown.
import { about, addressOf, beginActs, clearNotes, game, goOn, PRACTICE, run, told, TRY, whenOverdue } from "./acts_run.js";
import { look, stopLooking } from "./acts_orders.js";
import { afterLook, goToStep, showReport } from "./acts_story.js";
import { routeOf } from "./arriving.js";
import { ask, Fault, lend, Locked, lock, prepare, start } from "./ask.js";
import * as drafts from "./draft.js";
import { isFilledIn, message, toBase64 } from "./dom.js";
import { isWanted, keep, lastTable, want } from "./last.js";
import * as post from "./post.js";
import * as session from "./session.js";
import { store } from "./state.js";
import { namesOfKeys } from "./store.js";
import * as waking from "./waking.js";
import { words } from "./words.js";

const QUIET = 3000; // milliseconds after a start, before the next one is prepared
const { get, set } = store;

export const address = () => routeOf(location.hash);

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
  stopLooking();
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
    ...(sameDraft ? {} : { draft: drafts.createDraft(shown?.draft ?? ""), study: null, forecast: null, advance: false, taps: 0 }),
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

export async function open(step, carried) {
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
  beginActs();
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

whenOverdue(refresh);

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
