// A whole game to look back at, by the document of its story: in a file, and in the player's page. It asks for nothing.
import { isPale, panned, revealed, whole, zoomed } from "../../web/site/geometry.js";
import { byNight, night } from "../../web/site/night.js";
import { diceOf, nextBattle, titleOf } from "../../web/site/steps.js";
import { storyWords } from "../../web/site/story_words.js";
import { commandOf, labelOf, SIDES, thrown } from "./die.js";
import { button, h, s } from "./elements.js";
import { captionOf, commandsOf, exchangeSteps, momentAt, placeOf, sameMoment, series, stepsOfLines, unpacked } from "./moments.js";
import { Search } from "./search.js";

const DRAWN = new Set(["g", "path", "rect", "text", "tspan", "circle", "ellipse", "line", "polyline", "polygon"]);
const NEARER = 1.5, SLOP = 8, PACE = 1500;
const COLOURS = { red: "#b23a32", blue: "#2f5fa3", green: "#3d8040", yellow: "#b08d1e", black: "#2b2b2b" };
const words = {
  ...storyWords,
  plans: "Plans", notes: "Your notes", planned: "What you planned", feared: "What you feared", cameTrue: "What came true", noPlan: "You ordered nothing.", noForecast: "You had no forecast of this exchange.",
  judgesForecast: "The judge's forecast, of your sealed orders.", otherDraft: "This forecast was of another draft than the orders that counted:",
  orders: "Orders", luck: "Luck", story: "Story", views: "Story, orders, luck", eyes: "Whose eyes",
  running: "The game goes on.", ended: "How it ended", noMoments: "Nothing can be shown yet.",
  timeline: "The whole game", by: "played by", copy: "Copy a link to this moment", copied: "Copied", copyFailed: "Copy it from the address bar.",
  exchangeBack: "One exchange back", exchangeOn: "One exchange on", turning: "Next", nextOf: (name) => `Next event of ${name}`,
  followed: (name, place, all) => `${name}: ${place} of ${all} events`, notFollowed: (name) => `${name}: nothing is told`, unfollow: "Stop following", backOf: (name) => `Earlier event of ${name}`,
  momentOf: (exchange, step, all) => `exchange ${exchange}, step ${step} of ${all}`,
  noOrders: "No orders are shown for this exchange.", unused: "not needed", dropped: (why) => `left out: ${why}`,
  answers: "What answered each question", byDefault: "by default", byLine: (line, exchange) => `line ${line} of exchange ${exchange}`, byOrders: "by the orders",
  byLines: "From these orders", filed: (side, exchange) => `${side}, exchange ${exchange}`, toLine: (side, line, exchange) => `To line ${line} of the orders of ${side} for exchange ${exchange}`,
  toStep: (exchange, step) => `To step ${step} of exchange ${exchange}, which followed from this line`,
  lines: "Orders as they were written", help: "Keys", position: "The picture in words",
  keys: [["Space", "play or pause"], ["← →", "one step"], ["↑ ↓", "one exchange"], ["Home End", "beginning, end"], ["B", "next battle"], ["N", "next turning point"], ["T", "whose eyes"], ["F", "find a place, name or word; Enter goes to the next step with it"], ["+ − 0", "the picture"]],
  checkDie: "Check this die by hand", checkThis: (said) => `${said}. Check this die by hand`, dieLabel: "The die has the label", dieKey: (exchange) => `The key of exchange ${exchange}, which the ledger names, is the hash of mix/${exchange}.txt in the game's bundle`,
  dieCommand: "A shell throws it again with", dieInBundle: "In the folder of the game's bundle a shell throws it again with", dieDigest: (trial) => (trial ? `With ${trial} in the place of 0 that gives` : "That gives"),
  dieRead: (two, at, byte, sides, value) => `${at ? `The digits before ${two} are numbers of 252 or more, which do not count; ${two}` : `The first two digits, ${two},`} are ${byte}. Divided by ${sides} that leaves ${byte % sides}; plus 1 is ${value}.`,
  dieHow: (sides, told) => `Take the first two digits after the = that are below fc, as a number, and divide it by ${sides}. The remainder plus 1 must be ${told}.`,
  dieSame: (told) => `The die was told as ${told}: the same.`, dieOther: (told, value) => `The die was told as ${told}, and the key gives ${value}. Keep this: it is proof.`,
  tryHere: "Try it from here", tryText: "This opens the game as the side saw it at this moment: you give the orders, and what the side did not see is drawn. It is only a try, and no part of the game.",
  tryByShell: (ofBundle) => (ofBundle ? "Where pbem is installed, a shell does it with this; for BUNDLE write where the game's bundle lies, as the club's site has it:" : "Where pbem is installed and you play this game, a shell does it with"),
  hits: "Hits expected and rolled", allBattles: "All battles", luckText: "What the dice that were shown here were expected to bring, and what they brought. In nine games of ten the hits lie in the interval.",
  chancesText: "What might have come of it before the first die, exactly, if both sides fight to the end.", came: "so it came",
  opinion: (bot) => `The opinion of a bot (${bot})`, opinionText: (strength) => `It is a program, and this is no more than its opinion: by what was shown then it would have ordered otherwise. Measured: ${strength}.`, itsForecast: "Its forecast for these orders",
  luckHead: ["", "dice", "expected", "rolled", "interval"], speed: "Slower or faster", measure: "What the chart shows", begins: "A battle begins",
};

const padlock = () => s("svg", { viewBox: "0 0 20 22", width: "20", height: "22", "aria-hidden": "true" },
  s("rect", { x: "3", y: "9", width: "14", height: "11", rx: "2", fill: "currentColor" }), s("path", { d: "M6 9V6a4 4 0 0 1 8 0v3", fill: "none", stroke: "currentColor", "stroke-width": "2.2" }));

// A tree of the document as an element: what is not drawn by this program is left out.
function grown([name, given, ...parts]) {
  const made = s(DRAWN.has(name) ? name : "g");
  for (const [key, value] of Object.entries(given)) if (!/^on|href|style/i.test(key)) made.setAttribute(key, value);
  for (const one of parts) made.append(typeof one === "string" ? one : grown(one));
  return made;
}

// The picture: map or table, moved and enlarged by fingers, mouse and keys.
class Picture {
  constructor(take, signal) {
    this.take = take;
    this.box = h("div", { class: "picture", tabindex: "0", role: "application" });
    this.legend = button(words.legend, () => this.explain(!this.explained), "?");
    this.element = h("div", { class: "board" }, this.box, h("div", { class: "tools" },
      button(words.larger, () => this.zoom(NEARER), "+"), button(words.smaller, () => this.zoom(1 / NEARER), "−"),
      button(words.wholePicture, () => this.look(this.all), "⤢"), this.legend));
    this.pointers = new Map();
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => { this.board = undefined; this.made = new Map(); this.draw(this.drawn); }, { signal });
    const sized = new ResizeObserver(() => this.fit());
    sized.observe(this.box);
    signal.addEventListener("abort", () => sized.disconnect());
    for (const [name, act] of [["pointerdown", this.down], ["pointermove", this.moved], ["pointerup", this.up], ["pointercancel", this.up]]) this.box.addEventListener(name, act.bind(this));
    this.box.addEventListener("wheel", (event) => { event.preventDefault(); this.zoom(1.0015 ** -event.deltaY, this.share(event)); }, { passive: false });
    this.made = new Map();
  }

  draw(picture) {
    this.drawn = picture;
    if (!picture) return;
    if (this.board !== picture.board) this.lay(picture.board);
    const nodes = picture.layers.map((layer) => this.layer(layer));
    let at = this.layers.firstChild;
    for (const node of nodes) {
      if (node === at) at = at.nextSibling;
      else this.layers.insertBefore(node, at);
    }
    while (at) { const next = at.nextSibling; at.remove(); at = next; }
    this.light();
  }

  lay(board) {
    const [w, hgt, parts] = board, before = this.size;
    this.board = board;
    this.size = { x: 0, y: 0, w, h: hgt };
    this.svg = s("svg", { role: "presentation" }, ...parts.map(grown));
    const ground = [...this.svg.children].find((one) => one.localName === "rect");
    this.pale = isPale(ground?.getAttribute("fill"));
    if (this.dark.matches) byNight(this.svg, ground);
    this.element.style.background = ground?.getAttribute("fill") ?? "";
    ground?.remove();
    this.layers = s("g");
    this.svg.append(this.layers);
    this.box.replaceChildren(this.svg);
    this.legends = [...this.svg.children].filter((one) => one.localName === "g" && one !== this.layers && !one.attributes.length && one.firstElementChild?.localName === "rect");
    this.legend.hidden = !this.legends.length;
    this.made = new Map();
    if (!before || before.w !== w || before.h !== hgt) this.view = undefined;
    this.explain(this.explained ?? false);
    this.fit();
  }

  layer(layer) {
    let node = this.made.get(layer);
    if (!node) {
      const [x, y, parts] = layer;
      node = s("g", { transform: `translate(${x},${y})` }, ...parts.map(grown));
      if (this.dark.matches && this.pale) { const held = s("svg", {}, node); night(held); }
      this.made.set(layer, node);
    }
    return node;
  }

  explain(explained) {
    this.explained = explained;
    this.legend.setAttribute("aria-pressed", explained);
    for (const one of this.legends) one.style.display = explained ? "" : "none";
  }

  follow(name) { this.name = name; this.light(); }
  light() {
    for (const one of this.svg.querySelectorAll(".at")) one.classList.remove("at");
    if (!this.name) return;
    for (const one of this.svg.querySelectorAll("[data-name]")) one.classList.toggle("at", one.dataset.name === this.name);
  }

  fit() {
    const { clientWidth: w, clientHeight: hgt } = this.box;
    if (!w || !hgt || !this.size) return;
    const near = this.view ? this.all.w / this.view.w : 1;
    const middle = this.view && { x: this.view.x + this.view.w / 2, y: this.view.y + this.view.h / 2 };
    this.all = whole(this.size, { w, h: hgt });
    this.look(near > 1.01 ? zoomed(revealed({ ...this.all, w: this.all.w / near, h: this.all.h / near }, middle, this.all), 1, { x: 0.5, y: 0.5 }, this.all) : this.all);
  }
  look(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", [view.x, view.y, view.w, view.h].map((one) => one.toFixed(2)).join(" "));
  }
  share({ clientX, clientY }) {
    const { left, top, width, height } = this.box.getBoundingClientRect();
    return { x: (clientX - left) / width, y: (clientY - top) / height };
  }
  zoom(factor, at = { x: 0.5, y: 0.5 }) { if (this.view) this.look(zoomed(this.view, factor, at, this.all)); }

  down(event) {
    if (event.button) return;
    if (event.isPrimary) this.pointers.clear();
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size === 1) { this.slipped = false; this.from = { x: event.clientX, y: event.clientY }; } else this.slipped = true;
  }
  moved(event) {
    const before = this.pointers.get(event.pointerId), now = { x: event.clientX, y: event.clientY };
    if (!before || !this.view || (!this.slipped && Math.hypot(now.x - this.from.x, now.y - this.from.y) < SLOP)) return;
    if (!this.slipped) this.box.setPointerCapture(event.pointerId);
    this.slipped = true;
    this.pointers.set(event.pointerId, now);
    const { clientWidth: w, clientHeight: hgt } = this.box;
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (!other) return this.look(panned(this.view, (before.x - now.x) / w, (before.y - now.y) / hgt, this.all));
    const far = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
    this.zoom(far(now) / far(before), this.share({ clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 }));
  }
  up(event) {
    if (!this.pointers.delete(event.pointerId) || this.slipped || event.type !== "pointerup") return;
    const named = document.elementsFromPoint(event.clientX, event.clientY).map((one) => this.box.contains(one) && one.closest("[data-name]")).find(Boolean);
    if (named) this.take(named.dataset.name);
  }
}

// Both lines in the order in which they act, the dice of a shot, and who is hit.
function battle(board, follow, check) {
  const { lines, reserves, shot, hit, totals, second } = board;
  const side = ({ side: name, fighters }) => h("div", { class: "side" }, h("h3", {}, nameOf(name)),
    totals.filter((one) => one.side === name).map((one) => h("p", { class: "total" }, one.said)),
    fighters.map((one) => h("button", { type: "button", class: `blk${one.side === second ? " second" : ""}${shot?.fighter === one.name ? " act" : ""}${hit.includes(one.name) ? " hit" : ""}${one.fate ? " gone" : ""}`,
      onclick: () => follow(one.name) }, h("b", {}, one.said || one.name),
    one.full > 0 && h("i", { role: "img", "aria-label": words.steps(one.strength, one.full) }, "●".repeat(one.strength) + "○".repeat(Math.max(0, one.full - one.strength))),
    h("small", {}, one.fate || one.rating))),
    reserves.filter((one) => one.side === name && one.count).map((one) => h("small", {}, words.inReserve(one.count))));
  const [first, other] = lines;
  return [lines.length > 2 ? h("div", { class: "clash many" }, lines.map(side)) : h("div", { class: "clash" }, first && side(first), h("div", { class: "vs", "aria-hidden": "true" }, "⚔"), other && side(other)),
    shot && h("div", { class: "roll" }, h("span", {}, words.fires(shot.fighter, shot.hits_up_to)), h("span", { class: "dice" }, diceOf(shot).map((one, place) =>
      h("button", { type: "button", class: "die", title: words.checkDie, "aria-label": words.checkThis(one.hit ? words.hitDie(one.pips) : `${one.pips}`), onclick: () => check(shot, place + 1) }, h("u", { class: one.hit ? "h" : "" }, `${one.pips}`))))),
    shot && h("div", { class: "checked", role: "status" })];
}

// What a bot would have written, its own lines marked, and what its forecast said.
function opinion({ bot, strength, lines, otherwise, forecast }) {
  return h("details", { class: "written opinion" }, h("summary", {}, words.opinion(bot)), h("p", { class: "sub" }, words.opinionText(strength)),
    h("ol", { class: "lines" }, lines.map((said, place) => h("li", { class: otherwise.includes(place + 1) ? "other" : "" }, h("code", {}, said)))),
    forecast.length ? [h("h3", {}, words.itsForecast), h("pre", {}, forecast.join("\n"))] : "");
}

let game;
const nameOf = (side) => game.sides.find((one) => one.side === side)?.name ?? side;

// The chart of sizes over time, with years and battles: it is the scrubber as well.
class Timeline {
  constructor(go) {
    this.chart = s("svg", { preserveAspectRatio: "none", "aria-hidden": "true" });
    this.marks = h("div", { class: "marks", "aria-hidden": "true" });
    this.range = h("input", { type: "range", min: "0", step: "1", "aria-label": words.timeline, oninput: () => go(Number(this.range.value)) });
    this.keys = h("div", { class: "measures", role: "group", "aria-label": words.measure });
    this.cursor = h("i", { class: "cursor", "aria-hidden": "true" });
    this.element = h("section", { class: "timeline", "aria-label": words.timeline }, this.keys, h("div", { class: "scrub" }, this.chart, this.marks, this.cursor, this.range));
    new ResizeObserver(() => this.fit()).observe(this.element);
  }

  show(track) {
    this.track = track;
    this.sizes = series(track.steps);
    const names = Object.keys(this.sizes);
    if (!names.includes(this.measure)) this.measure = names[0];
    this.range.max = Math.max(1, track.steps.length - 1);
    this.draw();
  }

  draw() {
    const { steps } = this.track, all = Math.max(1, steps.length - 1), sizes = this.sizes[this.measure] ?? {};
    const most = Math.max(1, ...Object.values(sizes).flat());
    this.chart.setAttribute("viewBox", `0 0 ${all} 100`);
    this.chart.replaceChildren(...Object.entries(sizes).map(([side, numbers]) => {
      const points = numbers.map((one, place) => `${place ? `H${place}V` : "M0 "}${(94 - (86 * one) / most).toFixed(1)}`).join("");
      const line = s("path", { d: points, "vector-effect": "non-scaling-stroke", class: "size" });
      line.style.stroke = colourOf(side);
      return line;
    }));
    const share = (place) => `${(100 * place) / all}%`;
    const marks = [];
    let last = "";
    steps.forEach((one, place) => {
      const [when] = one.when;
      if (when !== last) marks.push([place, h("b", {}, when)]);
      last = when;
      if (one.board && one.chapter && one.chapter !== steps[place - 1]?.chapter) marks.push([place, h("span", { class: "fight" }, "⚔")]);
      if (one.turns.length) marks.push([place, h("span", { class: "turn" })]);
    });
    this.marks.replaceChildren(...marks.map(([place, mark]) => {
      mark.style.left = share(place);
      return mark;
    }));
    this.fit();
    const names = Object.keys(this.sizes);
    this.keys.replaceChildren(...names.map((name) => h("button", { type: "button", "aria-pressed": `${name === this.measure}`, onclick: () => { this.measure = name; this.draw(); this.at(this.place); } }, name)),
      this.legend = h("span", { class: "now" }));
  }

  // The times that have room, from the last one on, which stands before its line where there is none behind it.
  fit() {
    const { width } = this.marks.getBoundingClientRect();
    let free = width;
    for (const one of [...this.marks.querySelectorAll("b")].reverse()) {
      one.classList.remove("before");
      one.hidden = false;
      const begins = (width * parseFloat(one.style.left)) / 100, size = one.offsetWidth, isLast = free === width;
      one.classList.toggle("before", isLast && begins + size > width);
      one.hidden = !isLast && begins + size > free;
      if (!one.hidden) free = isLast && begins + size > width ? begins - size : begins;
    }
  }

  at(place) {
    this.place = place;
    this.range.value = place;
    const { steps } = this.track;
    if (!steps.length) return;
    this.range.setAttribute("aria-valuetext", `${steps[place].when.join(", ")}: ${steps[place].lines.join(" ")}`);
    this.cursor.style.left = `${(100 * place) / Math.max(1, steps.length - 1)}%`;
    const sizes = this.sizes[this.measure] ?? {};
    this.legend.replaceChildren(...Object.entries(sizes).map(([side, numbers]) => {
      const dot = h("i", { class: "dot" });
      dot.style.background = colourOf(side);
      return h("span", {}, dot, `${nameOf(side)} ${numbers[place]}`);
    }));
  }
}

function colourOf(side) {
  if (COLOURS[side]) return COLOURS[side];
  return side === game.second ? "var(--second)" : "var(--first)";
}

// `place`: the element that it fills. In the player's page moments have addresses behind `at`, `leave` is the link back, `lock`
// what locks the keys, `feared` are the forecasts that the player had, by exchange, and `notes` are the player's own.
export class Viewer {
  constructor(place, story, { at = "#", leave, lock, feared, notes, tryOut } = {}) {
    game = unpacked(story);
    this.at = at;
    this.notes = notes; // {text, marks}: what the reader has noted for nobody else
    this.feared = feared; // by exchange, where the reader's own forecasts are
    this.tryOut = tryOut; // opens a try from a moment; null where there is nothing to try out
    this.ended = new AbortController();
    const { signal } = this.ended;
    this.place = 0;
    this.tab = "story";
    this.pace = PACE;
    this.picture = new Picture((name) => this.follow(name), signal);
    this.timeline = new Timeline((where) => this.go(where));
    this.eyes = h("div", { class: "eyes", role: "group", "aria-label": words.eyes });
    this.said = h("div", { class: "said" });
    this.live = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.body = h("div", { class: "body", role: "tabpanel", tabindex: "0" });
    this.search = new Search((place) => this.tell(place), () => this.mark());
    this.tabs = h("div", { class: "tabs", role: "tablist", "aria-label": words.views });
    this.playing = button(words.playOn, () => this.play(), "▷");
    this.where = h("b"), this.round = h("span", { class: "round" }), this.short = h("span", { class: "short", "aria-hidden": "true" }), this.step = h("span", { class: "long" });
    this.link = button(words.copy, () => this.copy(), "#");
    this.bar = h("div", { class: "play", role: "group", "aria-label": words.story },
      button(words.exchangeBack, () => this.exchange(-1), "«"), button(words.stepBack, () => this.go(this.place - 1), "◀"), this.playing, button(words.stepOn, () => this.go(this.place + 1), "▶"), button(words.exchangeOn, () => this.exchange(1), "»"),
      this.where, this.round, this.short, this.step, button(words.nextBattle, () => this.go(nextBattle(this.track.steps, this.place)), "⚔"), this.link);
    this.followed = h("div", { class: "followed" });
    const players = game.sides.map((one) => `${one.name}: ${one.player}`).join(" · ");
    place.replaceChildren(h("header", {}, leave && h("a", { class: "mark back", href: leave.href }, leave.said), h("div", { class: "game" }, h("h2", {}, game.game), h("small", {}, `${game.title} · ${players}`)), h("p", { class: "outcome" }, game.outcome ? h("button", { type: "button", title: words.ended, onclick: () => this.tell(this.track.steps.length - 1) }, game.outcome) : words.running), this.eyes, lock && h("button", { type: "button", class: "lock", "aria-label": lock.said, title: lock.said, onclick: lock.act }, padlock())),
      this.main = h("main", { id: "main", tabindex: "-1" }, h("section", { class: "view", "aria-label": game.title }, this.picture.element, this.bar), h("aside", {}, this.tabs, this.search.element, this.body)), this.timeline.element, this.live);
    game.tracks.forEach((track) => this.eyes.append(h("button", { type: "button", onclick: () => this.see(track) }, track.name)));
    this.eyes.hidden = game.tracks.length < 2;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    this.body.addEventListener("touchstart", ({ touches }) => { this.touched = touches.length === 1 && { x: touches[0].clientX, y: touches[0].clientY }; }, { passive: true });
    this.body.addEventListener("touchend", ({ changedTouches: [one] }) => {
      const right = this.touched && one.clientX - this.touched.x;
      if (this.touched && Math.abs(right) > 60 && Math.abs(one.clientY - this.touched.y) < 40) this.go(this.place + (right < 0 ? 1 : -1));
    });
    addEventListener("hashchange", () => this.read(), { signal });
    this.read(true);
  }

  // Whoever goes elsewhere in the player's page leaves nothing behind that listens or counts.
  close() {
    this.ended.abort();
    clearInterval(this.timer);
    clearTimeout(this.written);
  }

  // Where one is, by the address: #exchange/step, and whose eyes

  read(first = false) {
    if (!first && location.hash === this.hash) return;
    if (!location.hash.startsWith(this.at) && !first) return;
    const wanted = placeOf(location.hash, this.at);
    const track = game.tracks.find((one) => one.reader === wanted?.reader) ?? this.track ?? game.tracks.at(-1);
    if (track !== this.track) this.see(track, wanted ? momentAt(track, wanted) : 0);
    else if (wanted) this.go(momentAt(track, wanted));
  }

  address() {
    const { exchange, step } = this.track.steps[this.place] ?? { exchange: 0, step: 0 };
    return `${this.at}${exchange}/${step}${this.track === game.tracks.at(-1) ? "" : `/${this.track.reader}`}`;
  }

  async copy() {
    const address = location.href.replace(/#.*$/, "") + this.address();
    let done = words.copied;
    try { await navigator.clipboard.writeText(address); } catch {
      const held = h("textarea", { class: "unseen" }, address);
      document.body.append(held);
      held.select();
      if (!document.execCommand("copy")) done = words.copyFailed;
      held.remove();
    }
    this.link.dataset.done = done;
    this.live.textContent = done;
    setTimeout(() => delete this.link.dataset.done, 2000);
  }

  see(track, place) {
    const before = this.track;
    this.track = track;
    [...this.eyes.children].forEach((one, number) => one.setAttribute("aria-pressed", game.tracks[number] === track));
    this.timeline.show(track);
    this.search.show(track);
    this.tabs.replaceChildren(...["story", "orders", ...(this.feared ? ["plans"] : []), ...(track.luck.length ? ["luck"] : [])].map((name) => h("button", { type: "button", role: "tab", "aria-selected": `${this.tab === name}`, onclick: () => this.turn(name) }, words[name])));
    if (this.tab === "luck" && !track.luck.length) this.tab = "story";
    this.shown = undefined;
    this.go(place ?? (before ? sameMoment(before, this.place, track) : 0));
  }

  turn(tab) {
    this.tab = tab;
    this.main.classList.toggle("wide", tab === "plans");
    [...this.tabs.children].forEach((one) => one.setAttribute("aria-selected", `${one.textContent === words[tab]}`));
    this.shown = undefined;
    this.go(this.place);
  }

  // Going on

  go(place) {
    const { steps } = this.track;
    if (!steps.length) return void this.body.replaceChildren(h("p", { class: "sub" }, words.noMoments));
    this.place = Math.max(0, Math.min(steps.length - 1, place));
    const now = steps[this.place];
    this.picture.draw(this.track.pictures[this.place]);
    this.picture.box.setAttribute("aria-label", now.words.join(" "));
    this.timeline.at(this.place);
    this.search.at(this.place);
    this.where.textContent = titleOf(now) || now.when.join(", ");
    this.round.textContent = now.board?.round ? words.round(now.board.round) : "";
    this.step.textContent = words.momentOf(now.exchange, now.step, now.of);
    this.short.textContent = `${now.exchange} · ${now.step}/${now.of}`;
    this.live.textContent = now.lines.join(" ");
    if (this.tab === "story") this.story(now);
    else if (this.tab === "orders") this.orders(now);
    else if (this.tab === "plans") this.plans(now);
    else this.luck();
    this.hash = this.address();
    clearTimeout(this.written); // a browser takes so many new addresses a second, and no more
    const from = location.hash; // whoever has gone elsewhere meanwhile stays there
    this.written = setTimeout(() => { if (location.hash === from) history.replaceState(null, "", this.hash); }, 200);
    if (this.place === steps.length - 1 && this.timer) this.play();
  }

  exchange(by) {
    const { steps } = this.track, now = steps[this.place];
    if (!now) return;
    const wanted = by > 0 ? steps.findIndex((one) => one.exchange > now.exchange) : this.place - now.step + 1 < this.place ? this.place - now.step + 1 : steps.findIndex((one) => one.exchange === steps[this.place - 1]?.exchange);
    if (wanted >= 0) this.go(wanted);
  }

  play() {
    if (this.timer) this.timer = clearInterval(this.timer);
    else {
      if (this.place === this.track.steps.length - 1) this.go(0);
      this.timer = setInterval(() => this.go(this.place + 1), this.pace);
    }
    this.playing.replaceChildren(this.timer ? "❚❚" : "▷");
    this.playing.setAttribute("aria-label", this.timer ? words.pause : words.playOn);
    this.playing.setAttribute("aria-pressed", Boolean(this.timer));
  }

  next(test) {
    const { steps } = this.track;
    for (let place = this.place + 1; place < steps.length; place += 1) if (test(steps[place])) return this.go(place);
  }

  before(test) {
    for (let place = this.place - 1; place >= 0; place -= 1) if (test(this.track.steps[place])) return this.go(place);
  }

  // To a step, and what is told of it.
  tell(place) {
    if (this.tab === "story") return this.go(place);
    this.place = place;
    this.turn("story");
  }

  mark() {
    const now = this.track.steps[this.place];
    if (now && this.tab === "story") this.story(now);
  }

  // To a line of orders: the tab shows those of its exchange.
  toLine(side, exchange, line) {
    const { steps } = this.track;
    if (steps[this.place].exchange !== exchange) this.place = steps.find((one) => one.exchange === exchange).at;
    this.turn("orders");
    const found = [...this.body.querySelectorAll("[data-line]")].find((one) => one.dataset.line === `${side}/${line}`);
    found.classList.add("lit");
    found.focus();
    found.scrollIntoView({ block: "center" });
  }

  // A line of orders as its writer wrote it; nothing where this track does not hold it.
  lineOf(side, exchange, line) {
    return this.track.exchanges.find((one) => one.exchange === exchange)?.orders.find((one) => one.side === side)?.lines[line - 1];
  }

  follow(name) {
    this.name = name;
    this.picture.follow(name);
    if (this.tab === "story") this.go(this.place);
    else this.turn("story");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    const { key } = event, onButton = event.target.closest?.("button, summary, [role=tabpanel]");
    const acts = { ArrowLeft: () => this.go(this.place - 1), ArrowRight: () => this.go(this.place + 1), ArrowUp: () => this.exchange(-1), ArrowDown: () => this.exchange(1), Home: () => this.go(0), End: () => this.go(this.track.steps.length - 1),
      f: () => this.search.focus(), b: () => this.go(nextBattle(this.track.steps, this.place)), n: () => this.next((one) => one.turns.length), t: () => this.see(game.tracks[(game.tracks.indexOf(this.track) + 1) % game.tracks.length]),
      "+": () => this.picture.zoom(NEARER), "-": () => this.picture.zoom(1 / NEARER), 0: () => this.picture.look(this.picture.all), " ": () => this.play() };
    if (!acts[key.length > 1 ? key : key.toLowerCase()] || (onButton && (key === " " || (key.startsWith("Arrow") && event.target === this.body && /Up|Down/.test(key))))) return;
    event.preventDefault();
    acts[key.length > 1 ? key : key.toLowerCase()]();
  }

  // What stands in the panel

  headOf(now) { return `${words.exchange(now.exchange)} · ${captionOf(exchangeSteps(this.track, now))}`; }

  story(now) {
    if (this.shown !== "story") { // the panel is built once: all that changes with each exchange is its list
      this.shown = "story";
      this.told = undefined;
      const turns = [...new Set(this.track.steps.flatMap((one) => one.turns))];
      this.caption = h("p");
      this.trying = h("details", { class: "trying" });
      this.heading = h("small");
      this.list = h("ol", { class: "log" });
      this.body.replaceChildren(this.said, this.followed, h("div", { class: "jumps" }, turns.map((turn) => h("button", { type: "button", class: "chip", onclick: () => this.next((one) => one.turns.includes(turn)) }, `${words.turning}: ${turn} ›`))),
        h("h2", {}, words.whatHappened, this.heading), this.list,
        h("details", {}, h("summary", {}, words.position), this.caption), this.trying, h("details", {}, h("summary", {}, words.help), h("dl", { class: "keys" }, words.keys.map(([key, said]) => [h("dt", {}, key), h("dd", {}, said)]))));
    }
    if (this.told !== now.exchange) {
      this.told = now.exchange;
      this.log = exchangeSteps(this.track, now).map((one) => h("li", {}, h("button", { type: "button", onclick: () => this.go(one.at) }, one.lines.join(" "))));
      this.heading.textContent = this.headOf(now);
      this.list.replaceChildren(...this.log);
      this.body.scrollTop = 0;
    }
    this.said.replaceChildren(h("h1", {}, now.board?.area ? words.battleOf(now.board.area) : now.chapter || now.when.join(", ")), h("div", { class: "sub" }, now.lines.map((line) => h("p", {}, line))),
      ...(now.board ? battle(now.board, (name) => this.follow(name), (shot, number) => this.check(now, shot, number)) : []).filter(Boolean),
      ...(now.own.length ? [h("section", { class: "own" }, now.own.map((one) => h("p", { class: one.applied ? "applied" : "stood" }, one.said ? [h("b", {}, one.applied ? words.applied : words.stoodDown(one.why)), h("q", {}, one.said), this.orderLink(this.track.reader, one.exchange, one.line, words.orderLine(one.line, one.exchange))] : h("b", {}, words.noLine))))] : []), ...this.causes(now));
    this.caption.textContent = now.words.join(" ");
    this.offerTry(now);
    this.log.forEach((one, place) => {
      const state = `${place === now.step - 1 ? "now" : place >= now.step ? "next" : ""}${this.search.has(now.at - now.step + 1 + place) ? " found" : ""}`;
      if (one.className !== state) one.className = state;
      if (place === now.step - 1) one.firstChild.setAttribute("aria-current", "step");
      else one.firstChild.removeAttribute("aria-current");
    });
    this.followed.replaceChildren(...this.following());
  }

  // The way into a try from this moment: a button in the player's page, else the commands.
  offerTry({ exchange, step }) {
    const commands = commandsOf(game, this.track, this.place), one = game.tracks.length === 1;
    this.trying.hidden = !commands.length || this.tryOut === null;
    this.trying.replaceChildren(h("summary", {}, words.tryHere), h("p", {}, words.tryText),
      ...(this.tryOut && one ? [h("button", { type: "button", onclick: () => this.tryOut({ exchange, step }) }, words.tryHere)]
        : [h("p", {}, words.tryByShell(!one)), ...commands.map((said) => h("p", {}, h("code", {}, said)))]));
  }

  // What leads to a line of orders, where this track holds it.
  orderLink(side, exchange, line, said) {
    if (this.lineOf(side, exchange, line) === undefined) return h("small", {}, said);
    return h("button", { type: "button", title: words.toLine(nameOf(side), line, exchange), onclick: () => this.toLine(side, exchange, line) }, said);
  }

  // The orders from which a step followed, those of each file together, and the defaults.
  causes({ replies }) {
    const files = new Map(), defaults = new Map();
    for (const [side, said, rule, exchange, line] of replies) {
      const text = line ? this.lineOf(side, exchange, line) : undefined, file = `${side}/${exchange}`;
      if (text === undefined) defaults.set(`${side}/${said}`, [nameOf(side), said, exchange ? words.byOrders : words.byDefault, rule]);
      else files.set(file, (files.get(file) ?? { side, exchange, lines: new Map() })).get(file).lines.set(line, text);
    }
    if (!replies.length) return [];
    return [h("section", { class: "causes" }, h("h2", {}, words.byLines), [...files.values()].map(({ side, exchange, lines }) => [h("h3", {}, words.filed(nameOf(side), exchange)),
      h("ol", { class: "lines" }, [...lines].sort(([one], [other]) => one - other).map(([line, text]) => h("li", { value: line }, this.orderLink(side, exchange, line, h("code", {}, text.trim())))))]),
    [...defaults.values()].map(([name, said, how, rule]) => h("p", {}, `${name}: ${said} `, h("small", {}, `${how} · ${rule}`))))];
  }

  // A die by hand: the command with its numbers filled in, and what comes of it where the key is known.
  async check(now, shot, number) {
    const label = labelOf(shot, number), told = shot.dice[number - 1], place = this.said.querySelector(".checked");
    const { key } = this.track.exchanges.find((one) => one.exchange === now.exchange);
    const found = key && globalThis.crypto?.subtle ? await thrown(key, label) : undefined;
    place.replaceChildren(h("h2", {}, words.checkDie), h("dl", {}, h("dt", {}, words.dieLabel), h("dd", {}, h("code", {}, label)),
      key && [h("dt", {}, words.dieKey(now.exchange)), h("dd", {}, h("code", {}, key))],
      h("dt", {}, key ? words.dieCommand : words.dieInBundle), h("dd", {}, h("code", {}, commandOf(label, now.exchange, key))),
      found && [h("dt", {}, words.dieDigest(found.trial)), h("dd", {}, h("code", {}, found.digest))]),
    ...(found ? [h("p", {}, words.dieRead(found.digest.slice(2 * found.at, 2 * found.at + 2), found.at, found.byte, SIDES, found.value)),
      h("p", { class: found.value === told ? "fine" : "fault" }, found.value === told ? words.dieSame(told) : words.dieOther(told, found.value))] : [h("p", {}, words.dieHow(SIDES, told))]));
    place.scrollIntoView({ block: "nearest" });
  }

  following() {
    if (!this.name) return [];
    const found = this.track.steps.filter((one) => one.about.includes(this.name)), has = (one) => one.about.includes(this.name);
    const place = found.filter((one) => one.at <= this.place).length;
    return [h("span", {}, found.length ? words.followed(this.name, place, found.length) : words.notFollowed(this.name)), button(words.backOf(this.name), () => this.before(has), "◀"), button(words.nextOf(this.name), () => this.next(has), "▶"), button(words.unfollow, () => { this.name = ""; this.picture.follow(""); this.go(this.place); }, "✕")];
  }

  orders(now) {
    if (this.shown === `orders ${now.exchange}`) return;
    this.shown = `orders ${now.exchange}`;
    const chapter = this.track.exchanges.find((one) => one.exchange === now.exchange);
    const joined = this.track.joined ??= stepsOfLines(this.track), { steps } = this.track;
    const line = (said, number, one) => {
      const places = joined.get(`${one.side}/${now.exchange}/${number}`) ?? [];
      const why = one.dropped.find(([of]) => of === number)?.[1];
      const mark = why ? words.dropped(why) : one.unused.includes(number) ? words.unused : "";
      return h("li", { class: why ? "dropped" : one.unused.includes(number) ? "unused" : /^\s*(note\b|#)/.test(said) ? "note" : "", tabindex: "-1", "data-line": `${one.side}/${number}` }, h("code", {}, said || " "), mark && h("small", {}, mark),
        places.length > 0 && h("span", { class: "to" }, "→", places.map((place) => button(words.toStep(steps[place].exchange, steps[place].step), () => this.tell(place), steps[place].exchange === now.exchange ? `${steps[place].step}` : `${steps[place].exchange}/${steps[place].step}`))));
    };
    this.body.replaceChildren(h("h1", {}, words.orders), h("p", { class: "sub" }, this.headOf(now)),
      ...(chapter.orders.length ? chapter.orders.map((one) => h("section", { class: "written" }, h("h2", {}, nameOf(one.side), h("small", {}, one.player)), h("ol", { class: "lines" }, one.lines.map((said, place) => line(said, place + 1, one))))) : [h("p", { class: "sub" }, words.noOrders)]),
      ...(chapter.opinion ? [opinion(chapter.opinion)] : []),
      ...(chapter.replies.length ? [h("h2", {}, words.answers), h("table", {}, h("tbody", {}, chapter.replies.map(([side, said, rule, exchange, number]) => h("tr", {}, h("td", {}, nameOf(side)), h("td", {}, said, " ", h("small", {}, rule)), h("td", {}, number ? words.byLine(number, exchange) : exchange ? words.byOrders : words.byDefault)))))] : []));
    this.body.scrollTop = 0;
  }

  // What the reader had planned, what they feared, and what came true, side by side.
  plans(now) {
    if (this.shown === `plans ${now.exchange}`) return;
    this.shown = `plans ${now.exchange}`;
    const { exchanges } = this.track, { orders } = exchanges.find((one) => one.exchange === now.exchange);
    const feared = this.feared[now.exchange], part = (title, ...inner) => h("section", {}, h("h2", {}, title), inner);
    const own = (one) => h("p", { class: one.applied ? "applied" : "stood" }, one.said ? [h("b", {}, one.applied ? words.applied : words.stoodDown(one.why)), h("q", {}, one.said)] : h("b", {}, words.noLine));
    this.body.replaceChildren(h("h1", {}, words.plans), h("p", { class: "sub" }, this.headOf(now)), h("div", { class: "plans" },
      (this.notes?.text || this.notes?.marks.length > 0) && part(words.notes, [this.notes.text, ...this.notes.marks.map((one) => `${one.about}: ${one.text}`)].filter(Boolean).map((said) => h("p", { class: "noted", dir: "auto" }, said))),
      part(words.planned, orders.length ? orders.map((one) => h("ol", { class: "lines" }, one.lines.map((said) => h("li", {}, h("code", {}, said || " "))))) : h("p", { class: "sub" }, words.noPlan)),
      part(words.feared, feared ? [feared.judges && h("p", { class: "sub" }, words.judgesForecast), feared.draft && h("p", { class: "sub" }, words.otherDraft), feared.lines.map((said) => h("p", {}, said)), feared.draft && h("pre", {}, feared.draft)] : h("p", { class: "sub" }, words.noForecast)),
      part(words.cameTrue, h("ol", { class: "log" }, exchangeSteps(this.track, now).map((one) => h("li", {}, h("button", { type: "button", onclick: () => this.tell(one.at) }, one.lines.join(" ")), one.own.length > 0 && h("div", { class: "own" }, one.own.map(own))))))));
    this.body.scrollTop = 0;
  }

  luck() {
    if (this.shown === "luck") return;
    this.shown = "luck";
    this.body.replaceChildren(h("h1", {}, words.hits), h("p", { class: "sub" }, words.luckText), ...this.track.luck.map((one) => h("section", { class: "luck" },
      h("h2", {}, one.exchange ? h("button", { type: "button", class: "chip", onclick: () => { this.go(momentAt(this.track, one)); } }, `${one.name} ›`) : words.allBattles, one.exchange ? h("small", {}, words.exchange(one.exchange)) : ""),
      h("table", {}, h("thead", {}, h("tr", {}, words.luckHead.map((said) => h("th", {}, said)))), h("tbody", {}, one.sides.map(({ side, dice, expected, rolled, low, high }) => h("tr", {}, h("td", {}, nameOf(side)), h("td", {}, `${dice}`), h("td", {}, expected), h("td", { class: rolled < low || rolled > high ? "far" : "" }, `${rolled}`), h("td", {}, `${low}–${high}`))))),
      one.chances.length > 0 && [h("p", { class: "sub" }, words.chancesText), h("table", { class: "chances" }, h("tbody", {}, one.chances.map(({ said, chance, came }) => h("tr", {}, h("td", {}, said), h("td", {}, chance), h("td", {}, came ? words.came : "")))))])));
    this.body.scrollTop = 0;
  }
}
