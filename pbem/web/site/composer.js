// Orders: taps write lines, lines stay text. What may follow comes from Python; nothing is decided here.
import { ask } from "./ask.js";
import { button, el, paragraph } from "./dom.js";
import { told } from "./main.js";
import { words } from "./words.js";

const PAUSE = 120; // milliseconds of quiet before a draft is looked at
const MOST_CHIPS = 150;

// `picture` may be undefined. `changed(text)` is told of every text that was looked at.
export function composer(game, draft, form, picture) {
  const area = el("textarea", { id: "draft", rows: 8, spellcheck: "false", autocapitalize: "off", "aria-describedby": "faults",
    "aria-label": words.orders });
  area.value = draft;
  const chips = el("div", { class: "chips", role: "group", "aria-label": words.begin });
  const faults = el("ul", { id: "faults", "aria-live": "polite" });
  const understood = el("div", {});
  const forecast = el("div", { "aria-live": "polite" });
  const past = [], future = [];
  let timer, asked = 0;

  const lineAt = () => {
    const before = area.value.slice(0, area.selectionStart).split("\n").length - 1;
    return [before, area.value.split("\n")];
  };
  const line = () => {
    const [place, lines] = lineAt();
    return lines[place] ?? "";
  };
  // Above a line that is to be begun stands the one at hand too.
  const offersTo = (said) => {
    const [place, lines] = lineAt();
    return ask("offers", { game, line: said, above: lines.slice(0, place + (said || !line().trim() ? 0 : 1)).join("\n") });
  };
  const set = (text, caret = text.length) => {
    past.push(area.value);
    future.length = 0;
    area.value = area.defaultValue = text;
    area.setSelectionRange(caret, caret);
    look();
  };
  // What is offered may be several lines, a heading and its end: then one writes on between them.
  const written = (lines, place, said) => {
    const indent = /^\s*/.exec(lines[place] ?? "")[0];
    const made = said.split("\n").map((one) => indent + one);
    const before = [...lines.slice(0, place), ...(made.length > 1 ? made.slice(0, 2) : made)];
    set([...lines.slice(0, place), ...made, ...lines.slice(place + 1)].join("\n"), before.join("\n").length);
  };
  const put = (said) => {
    const [place, lines] = lineAt();
    written(lines, place, said);
  };
  // A line of its own below the one at hand, or in its place if that is empty.
  const begin = (said) => {
    const [place, lines] = lineAt();
    if (!line().trim()) return put(said);
    const indent = /^\s*/.exec(lines[place])[0] + (/:\s*$/.test(lines[place]) ? "    " : "");
    lines.splice(place + 1, 0, indent);
    written(lines, place + 1, said);
  };
  const chip = (offer, act) => button(offer.said ?? offer.line.split("\n")[0], () => act(offer.line), { class: "chip" });
  // At the beginning of an order each verb stands once: whom it is about comes next.
  const beginnings = (found, before) => {
    const verbs = new Map();
    for (const offer of found) verbs.set(offer.verb, [...(verbs.get(offer.verb) ?? []), offer]);
    return [...verbs].flatMap(([verb, all]) =>
      all.length > 3 ? [{ said: `${verb} …`, line: `${before}${verb} ` }, ...all.filter((offer) => !offer.name)] : all);
  };
  // Whoever pressed one of them by a key finds the next in its place.
  const offered = (found, act, title) => {
    const held = chips.contains(document.activeElement);
    const another = act === put && line().trim() && button(words.newLine, () => begin(""));
    chips.setAttribute("aria-label", title);
    chips.replaceChildren(...[el("p", {}, title), another, ...found.slice(0, MOST_CHIPS).map((offer) => chip(offer, act))].filter(Boolean));
    chips.scrollTop = 0;
    if (held) chips.querySelector(".chip")?.focus({ preventScroll: true });
  };

  const look = () => {
    clearTimeout(timer);
    timer = setTimeout(() => looked().catch(told), PAUSE);
  };
  const looked = async () => {
    const turn = ++asked, text = area.value, now = line();
    let found = await offersTo(now);
    const whole = !found.length && now.trim(); // nothing can be added: another line is what comes next
    if (whole) found = await offersTo("");
    if (turn !== asked) return;
    const begins = whole ? [] : /^\s*(if [^_]*:\s*)?$/.exec(now); // of an order, perhaps after its condition
    const ways = begins ? beginnings(found, (begins[1] ?? "").replace(/:\s*$/, ": ")) : found;
    offered(ways, whole ? begin : put, whole ? words.another(now.trim()) : now.trim() ? words.next(now.trim()) : words.begin);
    picture?.light(found);
    picture?.show(text.split("\n"));
    await ask("keep_draft", { game, text });
    if (!text.trim()) {
      faults.replaceChildren();
      return understood.replaceChildren();
    }
    const study = await ask("check", { game, text });
    if (turn !== asked) return;
    faults.replaceChildren(...(study.faults.length ? study.faults.map(faultRow) : [el("li", { class: "fine" }, words.noFault)]));
    if (!study.understood.length) return understood.replaceChildren();
    understood.replaceChildren(el("h3", {}, words.understood), el("pre", {}, study.understood.join("\n")));
  };
  const foretell = async () => {
    const title = el("h3", {}, words.forecast);
    forecast.replaceChildren(title, el("p", {}, words.forecasting));
    title.scrollIntoView({ block: "center" });
    try {
      const study = await ask("check", { game, text: area.value, forecast: true });
      const said = study.forecast.length ? study.forecast.map(paragraph) : [el("p", {}, words.nothingForetold)];
      forecast.replaceChildren(title, el("div", { class: "foretold" }, ...said));
      title.scrollIntoView({ block: "start" });
    } catch (fault) {
      forecast.replaceChildren();
      throw fault;
    }
  };
  const faultRow = (fault) => el("li", { class: fault.remark ? "remark" : "fault" }, fault.said);

  // Something on the picture was tapped: the line at hand goes on, or another begins.
  const taken = async (name, upon, below) => {
    const fitting = async (said, ...names) =>
      (await offersTo(said)).filter((offer) => names.includes(offer.name));
    let act = put;
    let found = line().trim() ? await fitting(line(), name) : [];
    if (!found.length && line().trim()) found = await fitting(line(), ...below);
    if (!found.length) {
      act = begin;
      found = await fitting("", name, ...upon);
    }
    if (found.length === 1) return act(found[0].line);
    if (found.length) offered(found, act, name);
  };

  area.addEventListener("input", () => {
    if (past.at(-1) !== area.defaultValue) past.push(area.defaultValue); // back to before one began to write
    future.length = 0; // what is written now is not redone over
    look();
  });
  area.addEventListener("focus", () => { area.defaultValue = area.value; });
  area.addEventListener("click", look);
  area.addEventListener("keyup", (event) => event.key.startsWith("Arrow") && look());
  const back = (from, to) => {
    if (!from.length) return;
    to.push(area.value);
    area.value = area.defaultValue = from.pop();
    look();
  };
  const box = el("div", { class: "composer" },
    area,
    el("p", { class: "buttons" },
      button(words.undo, () => back(past, future)), button(words.redo, () => back(future, past)),
      button(words.clear, () => set("")),
      button(words.forecast, () => foretell().catch(told))),
    faults, understood, forecast,
    form && el("details", {}, el("summary", {}, words.form), el("pre", {}, form)));
  look();
  return { box, chips, taken, text: () => area.value };
}
