// Orders: what is tapped and typed becomes a draft, and marks and notes beside it. What may follow comes from Python;
// nothing is decided here.
import { about, game, note, run, told } from "./acts_run.js";
import { cardsOf as cardsFor } from "./cards.js";
import { TRAVELS } from "./chips.js";
import * as drafts from "./draft.js";
import { chosenBlock } from "./pins.js";
import { store } from "./state.js";
import { words } from "./words.js";

const PAUSE = 120; // milliseconds of quiet before a draft is looked at
const { get, set } = store;

let timer, turn = 0;

export const mayOrder = (line) => ["draft", "sealed", "handed over", "to be sent", "sent", "receipted", "refused", "late", "another file"].includes(line.state);
export const isOpen = (line) => mayOrder(line) && line.exchange !== 1;

function changeDraft(draft) {
  if (draft === get().draft) return;
  set({ draft, forecast: null });
  look();
}

export const stopLooking = () => clearTimeout(timer);
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
  await studied(mine, draft);
}

async function studied(mine, draft) {
  await about(game(), "keep_draft", { text: draft.text });
  const study = draft.text.trim() ? await about(game(), "check", { text: draft.text }) : null;
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
  set({ taps: 0 }); // one looks at the cards, and stays there
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
  const draft = begin(meant[0]);
  set({
    draft, forecast: null, study: null, light: onward,
    offers: { found: found.filter((offer) => offer !== meant[0]), how: "begin", title: words.whereTo(meant[0].name), line: "", sorted: true },
  });
  await studied(turn, draft);
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
