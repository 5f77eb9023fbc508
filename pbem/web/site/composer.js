// Orders: taps write lines, lines stay text. What may follow comes from Python; nothing is decided here.
import { ask } from "./ask.js";
import { button, el } from "./dom.js";
import { told } from "./main.js";
import { words } from "./words.js";

const PAUSE = 120; // milliseconds of quiet before a draft is looked at
const MOST_CHIPS = 60;

// `picture` may be undefined. `changed(text)` is told of every text that was looked at.
export function composer(game, draft, form, picture) {
  const area = el("textarea", { id: "draft", rows: 8, spellcheck: "false", autocapitalize: "off", "aria-describedby": "faults",
    "aria-label": words.orders });
  area.value = draft;
  const chips = el("div", { class: "chips", role: "group" });
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
  const set = (text, caret = text.length) => {
    past.push(area.value);
    future.length = 0;
    area.value = area.defaultValue = text;
    area.setSelectionRange(caret, caret);
    look();
  };
  const put = (said) => {
    const [place, lines] = lineAt();
    lines[place] = said;
    set(lines.join("\n"), lines.slice(0, place + 1).join("\n").length);
  };
  const begin = (said) => {
    const before = area.value.replace(/\s+$/, "");
    set(before ? `${before}\n${said}` : said);
  };
  const chip = (offer, act) => button(offer.said ?? offer.line, () => act(offer.line), { class: "chip" });
  // At the beginning of a line each verb stands once: whom it is about comes next.
  const beginnings = (found) => {
    const verbs = new Map();
    for (const offer of found) verbs.set(offer.verb, [...(verbs.get(offer.verb) ?? []), offer]);
    return [...verbs].flatMap(([verb, all]) =>
      all.length > 3 ? [{ said: `${verb} …`, line: `${verb} ` }, ...all.filter((offer) => !offer.name)] : all);
  };
  const offered = (found, act, title) => {
    chips.setAttribute("aria-label", title);
    chips.replaceChildren(found.length ? el("p", {}, title) : "", ...found.slice(0, MOST_CHIPS).map((offer) => chip(offer, act)));
  };

  const look = () => {
    clearTimeout(timer);
    timer = setTimeout(() => looked().catch(told), PAUSE);
  };
  const looked = async () => {
    const turn = ++asked, text = area.value, now = line();
    const found = await ask("offers", { game, line: now });
    if (turn !== asked) return;
    const act = now.trim() ? put : begin;
    offered(now.trim() ? found : beginnings(found), act, now.trim() ? words.next : words.begin);
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
  const faultRow = (fault) => el("li", { class: fault.remark ? "remark" : "fault" }, fault.said);

  // Something on the picture was tapped: the line at hand goes on, or another begins.
  const taken = async (name, upon) => {
    const fitting = async (said, ...names) =>
      (await ask("offers", { game, line: said })).filter((offer) => names.includes(offer.name));
    let act = put;
    let found = line().trim() ? await fitting(line(), name) : [];
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
    el("p", {}, words.ordersHelp), area,
    el("p", { class: "buttons" },
      button(words.newLine, () => { set(`${area.value.replace(/\s+$/, "")}\n`); area.focus(); }),
      button(words.undo, () => back(past, future)), button(words.redo, () => back(future, past)),
      button(words.clear, () => set("")),
      button(words.forecast, async () => {
        const study = await ask("check", { game, text: area.value, forecast: true });
        forecast.replaceChildren(el("pre", {}, study.words));
      })),
    faults, chips, understood, forecast,
    form && el("details", {}, el("summary", {}, words.form), el("pre", {}, form)));
  look();
  return { box, taken, text: () => area.value };
}
