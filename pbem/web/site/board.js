// The picture: map or card table. It can be moved and enlarged; what stands for something can be tapped, dragged to
// where it goes, or reached by arrow keys as one stop of the tab key. The picture is Python's own, parsed as SVG.
import { around, namesIn, nearest, nextIn, panned, revealed, shortened, whole, zoomed, zoomedAt } from "./geometry.js";
import { byNight } from "./night.js";
import { Component, html } from "./view.js";
import { words } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const SLOP = 8; // pixels that a finger may slip in a tap
const NEARER = 1.5;
const BESIDE = 1.2; // so much wider than what the signs mean is the part in sight: the buttons lie upon the rest
const NARROW = 520; // pixels: on a narrower picture what it is about is brought near by itself
const CLOSE = 2.4; // times as large
const REACH = 18; // pixels beside which a finger still means what is lit
const HOLD = 350; // milliseconds until a finger that rests has a lens
const CARD = 36; // as high in the picture is what is played with; swatches are lower
const LENS = 170, FULL = 1.4, LARGER = 1.5; // pixels of the lens; as many of a unit of the picture, or so much more than there are
const TURNED = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const KEYS = { "+": NEARER, "=": NEARER, "-": 1 / NEARER };
const make = (name, given, ...inner) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...inner);
  return made;
};

export class Board extends Component {
  constructor() {
    super();
    this.pointers = new Map();
    this.before = {}; // from where one looked before a battle, or the reach of a block, came near
    this.hold = (box) => { this.box = box; };
    this.holdLive = (live) => { this.live = live; };
    this.holdLens = (lens) => { this.lens = lens; };
  }

  render({ said }) {
    return html`<div class="board">
      <div class="picture" ref=${this.hold} tabindex="0" role="application" aria-label=${`${words.map}. ${said} ${words.mapHelp}`}></div>
      <div class="lens" aria-hidden="true" hidden ref=${this.holdLens}></div>
      <p class="live" role="status" aria-live="polite" ref=${this.holdLive}></p>
      <div class=${`tools${this.unfolded ? " unfolded" : ""}`}>
        <button type="button" aria-label=${words.larger} onClick=${() => this.zoom(NEARER)}>+</button>
        <button type="button" aria-label=${words.smaller} onClick=${() => this.zoom(1 / NEARER)}>−</button>
        <button type="button" aria-label=${words.wholePicture} onClick=${() => this.lookAtAll()}>⤢</button>
        ${this.legends?.length > 0 && html`<button type="button" aria-label=${words.legend} aria-pressed=${this.explained}
          class="signs" onClick=${() => this.explain(!this.explained)}>?</button>`}
        <button type="button" class="unfold" aria-label=${words.closer} aria-expanded=${Boolean(this.unfolded)} onClick=${() => this.unfold()}>±</button>
      </div>
    </div>`;
  }

  componentDidMount() {
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.draw();
    this.onPaper = matchMedia("print");
    for (const one of [this.dark, this.onPaper]) one.addEventListener("change", this.repaint);
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(this.box);
    for (const [name, act] of Object.entries({ pointerdown: this.down, pointermove: this.moved, pointerup: this.up,
      pointercancel: this.up, click: this.clicked, keydown: this.key })) this.box.addEventListener(name, act.bind(this));
    this.box.addEventListener("contextmenu", (event) => this.resting && event.preventDefault());
    this.box.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(1.0015 ** -event.deltaY, this.share(event));
    }, { passive: false });
    this.draw();
  }

  componentWillUnmount() {
    for (const one of [this.dark, this.onPaper]) one.removeEventListener("change", this.repaint);
    this.sized.disconnect();
    clearTimeout(this.resting);
  }

  componentDidUpdate(before) {
    if (before.svg !== this.props.svg) this.draw();
    else {
      this.light();
      this.mark();
    }
    if (before.focus !== this.props.focus) this.attend();
    if (before.open && !this.props.open) this.goBack("reach");
    if (before.light !== this.props.light && this.waiting) this.comeNear();
  }

  draw() {
    this.at = undefined;
    this.live.textContent = "";
    const svg = new DOMParser().parseFromString(this.props.svg, "image/svg+xml").documentElement;
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.paper = { x, y, w: width, h: height };
    for (const name of ["width", "height", "font-family"]) svg.removeAttribute(name);
    svg.setAttribute("role", "presentation");
    svg.querySelector("title")?.remove();
    const ground = [...svg.children].find((one) => one.localName === "rect");
    if (this.dark.matches && !this.onPaper.matches) byNight(svg, ground);
    this.box.parentNode.style.background = ground?.getAttribute("fill") ?? "";
    ground?.remove();
    this.marks = make("g", { class: "drawn" });
    svg.append(this.marks);
    this.box.replaceChildren(svg);
    this.svg = svg;
    this.parts = [...svg.querySelectorAll("[data-name]")];
    this.legends = explanations(svg);
    this.explain(false);
    this.light();
    this.mark();
    if (this.props.focus !== this.attended) this.attend();
  }

  // What the signs mean lies upon the picture, and is shown when it is asked for.
  explain(explained) {
    this.explained = explained;
    this.live.textContent = "";
    for (const one of this.legends) one.style.display = explained ? "" : "none";
    const before = this.size;
    this.size = explained ? this.paper : shortened(this.paper, this.svg.getBBox());
    const grows = before && JSON.stringify(before) !== JSON.stringify(this.size);
    if (grows) this.view = this.before.signs = undefined; // else one looks on from where one did
    this.fit();
    this.goBack("signs");
    const hidden = this.view && this.view.w < this.all.w; // or too small to be read
    if (explained && (hidden || this.box.clientWidth < NARROW)) {
      const outlines = this.legends.slice(0, this.props.cards ? Infinity : 1).map((one) => this.outline(one)); // on a map the first sheet tells it
      this.comeTo(around(outlines.map((one) => ({ ...one, w: one.w * BESIDE })), this.all), "signs");
    }
    this.forceUpdate();
  }

  // Where one looks from

  fit() {
    const { clientWidth: w, clientHeight: h } = this.box;
    if (!w || !h || !this.size) return;
    const all = whole(this.size, { w, h }, this.props.cards && w < NARROW), before = this.all;
    this.all = all;
    if (!this.view) {
      this.attended = undefined;
      return this.look(all);
    }
    if (JSON.stringify(all) === JSON.stringify(before)) return this.look(this.view);
    for (const why of Object.keys(this.before)) this.before[why] = all;
    const near = before.w / this.view.w;
    this.look(near > 1.01 ? zoomedAt(all, near, { x: this.view.x + this.view.w / 2, y: this.view.y + this.view.h / 2 }) : all);
  }

  look(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", [view.x, view.y, view.w, view.h].map((one) => one.toFixed(2)).join(" "));
  }

  // A narrow screen keeps the buttons folded, which would lie upon areas or cards.
  unfold() {
    this.unfolded = !this.unfolded;
    this.forceUpdate();
  }

  lookAtAll() {
    this.before = {};
    this.look(this.all);
  }

  comeTo(view, why) {
    this.before[why] ??= this.view;
    this.look(view);
  }

  goBack(why) {
    if (this.before[why]) this.look(this.before[why]);
    delete this.before[why];
  }

  // On a small screen a battle is brought near; when it is over one looks from where one did before.
  attend() {
    if (this.box.clientWidth >= NARROW || !this.all) return;
    const part = this.parts.find((one) => one.dataset.name === this.props.focus);
    this.attended = this.props.focus;
    if (part) this.comeTo(zoomedAt(this.all, CLOSE, this.middle(part)), "battle");
    else this.goBack("battle");
  }

  // There too, when a block was tapped: where it may go is brought near, with the block, until its order is whole.
  comeNear() {
    this.waiting = false;
    if (this.box.clientWidth >= NARROW || !this.at || !this.props.light.some((offer) => offer.clause)) return;
    const near = around([...this.parts.filter((part) => part.classList.contains("lit")), this.at].map((part) => this.outline(part)), this.all);
    if (near.w < this.view.w) this.comeTo(near, "reach");
  }

  outline(part) {
    const { left, top, right, bottom } = part.getBoundingClientRect();
    const to = this.svg.getScreenCTM().inverse();
    const [from, end] = [new DOMPoint(left, top), new DOMPoint(right, bottom)].map((one) => one.matrixTransform(to));
    return { x: from.x, y: from.y, w: end.x - from.x, h: end.y - from.y };
  }

  share(event) {
    const { left, top, width, height } = this.box.getBoundingClientRect();
    return { x: (event.clientX - left) / width, y: (event.clientY - top) / height };
  }

  zoom(factor, at = this.at ? this.shareOf(this.at) : { x: 0.5, y: 0.5 }) {
    this.look(zoomed(this.view, factor, at, this.all));
  }

  middle(part) {
    const { left, top, width, height } = part.getBoundingClientRect();
    const to = this.svg.getScreenCTM()?.inverse();
    return to ? new DOMPoint(left + width / 2, top + height / 2).matrixTransform(to) : { x: 0, y: 0 };
  }

  shareOf(part) {
    const { x, y } = this.middle(part);
    return { x: (x - this.view.x) / this.view.w, y: (y - this.view.y) / this.view.h };
  }

  // Fingers and mice

  down(event) {
    if (event.button) return;
    if (event.isPrimary) this.pointers.clear(); // the first finger of a new gesture: whatever became of the last one
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size > 1) {
      this.lift();
      this.slipped = true;
      this.dragged = undefined;
      return;
    }
    const part = this.hit(event);
    if (event.pointerType === "touch") this.rest({ clientX: event.clientX, clientY: event.clientY });
    this.slipped = this.tapped = false;
    this.from = { x: event.clientX, y: event.clientY };
    this.dragged = part?.classList.contains("lit") && part.firstElementChild.localName === "rect" ? part : undefined;
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (!this.lens.hidden) return this.magnify(event);
    if (!this.slipped && Math.hypot(now.x - this.from.x, now.y - this.from.y) < SLOP) return;
    this.lift();
    if (!this.slipped) this.box.setPointerCapture(event.pointerId);
    this.slipped = true;
    this.pointers.set(event.pointerId, now);
    const { clientWidth: w, clientHeight: h } = this.box;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, one]) => one);
    if (others.length) {
      const far = (one) => Math.hypot(one.x - others[0].x, one.y - others[0].y) || 1;
      this.zoom(far(now) / far(before), this.share({ clientX: (now.x + others[0].x) / 2, clientY: (now.y + others[0].y) / 2 }));
    } else if (!this.dragged) {
      this.look(panned(this.view, (before.x - now.x) / w, (before.y - now.y) / h, this.all));
    }
  }

  async up(event) {
    this.lift();
    if (!this.pointers.delete(event.pointerId) || this.pointers.size) return;
    if (!this.slipped && event.type === "pointerup" && event.pointerType === "touch") { // also from under the lens
      this.tapped = true; // soon after two fingers a browser may make no click of a tap
      return this.choose(event);
    }
    if (!this.dragged || !this.slipped) return;
    const from = this.dragged, to = event.type === "pointerup" && this.hit(event);
    this.dragged = undefined;
    if (!to || to === from) return;
    await this.take(from);
    await this.take(to);
  }

  clicked(event) {
    if (this.tapped) return void (this.tapped = false);
    if (this.slipped && event.detail) return void (this.slipped = false);
    this.choose(event);
  }

  choose(event) {
    const part = this.meant(event);
    if (!part) return;
    this.waiting = true;
    this.stand(part, event.pointerType !== "touch");
    this.take(part);
  }

  // What a finger has hit, or what is lit close by, if it has hit no more than an area that is not.
  meant(event) {
    const part = this.hit(event);
    if (event.pointerType !== "touch" || part?.classList.contains("lit") || (part && !isArea(part))) return part;
    const lit = this.parts.filter((one) => one.classList.contains("lit") && !isArea(one));
    return lit[nearest(lit.map((one) => one.getBoundingClientRect()), { x: event.clientX, y: event.clientY }, REACH)] ?? part;
  }

  // A lens over a finger that rests.

  rest(event) {
    this.lift();
    this.resting = setTimeout(() => this.magnify(event), HOLD);
  }

  lift() {
    clearTimeout(this.resting);
    this.resting = undefined;
    this.lens.hidden = true;
    this.lens.replaceChildren();
  }

  magnify(event) {
    if (this.lens.hidden) this.lens.append(this.svg.cloneNode(true));
    this.lens.hidden = false;
    const { left, top } = this.box.parentNode.getBoundingClientRect(), { clientWidth: w } = this.box;
    const [x, y] = [event.clientX - left, event.clientY - top];
    const above = y > LENS + 40;
    const across = above ? x - LENS / 2 : x < w / 2 ? x + 40 : x - LENS - 40;
    Object.assign(this.lens.style, { left: `${Math.max(4, Math.min(w - LENS - 4, across))}px`, top: `${above ? y - LENS - 30 : Math.max(4, y - LENS / 2)}px` });
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const size = LENS / Math.max(FULL, (w / this.view.w) * LARGER);
    this.lens.firstChild.setAttribute("viewBox", [at.x - size / 2, at.y - size / 2, size, size].map((one) => one.toFixed(1)).join(" "));
    const part = this.meant({ clientX: event.clientX, clientY: event.clientY, pointerType: "touch" });
    this.live.textContent = part?.dataset.name ?? "";
  }

  // What lies upon an area and stands for nothing, a hidden block, is no obstacle.
  hit(event) {
    const named = (element) => this.box.contains(element) && element.closest("[data-name]");
    return (event.type === "click" && named(event.target)) || document.elementsFromPoint(event.clientX, event.clientY).map(named).find(Boolean);
  }

  lies(small, large) {
    const shape = large.querySelector("path");
    const inverse = small !== large && shape?.getScreenCTM?.()?.inverse();
    if (!inverse) return false;
    const { left, top, width, height } = small.getBoundingClientRect();
    return shape.isPointInFill(new DOMPoint(left + width / 2, top + height / 2).matrixTransform(inverse));
  }

  take(part) {
    const names = (test) => this.parts.filter(test).map((other) => other.dataset.name);
    return this.props.take(part.dataset.name, names((other) => this.lies(other, part)), names((other) => this.lies(part, other)));
  }

  // Keys

  // `ways`: is it said what may be done with it? Whoever taps sees that.
  stand(part, ways = true) {
    this.at?.classList.remove("at");
    this.at = part;
    part.classList.add("at");
    const offered = ways ? this.props.light.filter((offer) => offer.name === part.dataset.name) : [];
    const pins = this.props.pins.get(part.dataset.name) ?? [];
    this.live.textContent = [part.dataset.name, ...pins.map(words.privateNotes.pin), ...offered.map((offer) => offer.line)].join(". ");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      if (this.at) this.take(this.at);
      event.preventDefault();
    }
    if (KEYS[event.key]) this.zoom(KEYS[event.key]);
    if (event.key === "0") this.lookAtAll();
    const way = TURNED[event.key];
    if (!way) return;
    event.preventDefault();
    if (!this.at) return this.parts[0] && this.stand(this.parts[0]);
    const others = this.parts.filter((part) => part.dataset.name !== this.at.dataset.name);
    const next = others[nextIn(others.map((part) => this.middle(part)), this.middle(this.at), way)];
    if (!next) return;
    this.stand(next);
    this.look(revealed(this.view, this.middle(next), this.all));
  }

  // What may be tapped now lights up; each row of orders is an arrow with its number.

  light() {
    const named = (offers) => new Set(offers.map((offer) => offer.name));
    const all = named(this.props.light), places = named(this.props.light.filter((offer) => offer.clause)), others = named(this.props.light.filter((offer) => !offer.clause));
    const kinds = (name) => new Set(this.parts.filter((part) => part.dataset.name === name).map(isArea)).size;
    for (const part of this.parts) {
      const { name } = part.dataset; // a noble bears the name of their area
      part.classList.toggle("lit", all.has(name) && (kinds(name) < 2 || (isArea(part) ? places : others).has(name)));
    }
  }

  mark() {
    const known = new Map(this.parts.map((part) => [part.dataset.name, part]));
    const drawn = this.props.rows.flatMap(({ said, number, past }) => {
      const points = namesIn(said, known.keys()).map((name) => this.middle(known.get(name)));
      if (!points.length || (past && points.length < 2)) return [];
      if (points.length > 1) points[0] = beside(points[0], points[1]);
      const [start, end] = [points[0], points.at(-1)];
      const where = points.length > 1 ? { x: (points.at(-2).x + end.x) / 2, y: (points.at(-2).y + end.y) / 2 } : { x: start.x + 34, y: start.y - 22 };
      const way = points.map((one) => `${one.x.toFixed(1)},${one.y.toFixed(1)}`).join(" ");
      return [
        points.length > 1 && make("polyline", { points: way, class: past ? "past" : "way" }),
        points.length > 1 && tip(points.at(-2), end),
        !past && make("circle", { cx: where.x, cy: where.y, r: 15 }),
        !past && Object.assign(make("text", { x: where.x, y: where.y + 7, "text-anchor": "middle", "font-size": 20 }), { textContent: number }),
      ].filter(Boolean);
    });
    this.marks.replaceChildren(...drawn, ...[...this.props.pins].flatMap(([area, pins]) => this.pinned(known.get(area), pins)));
  }

  // A pin for each marker, below the middle of the area; a hollow one where the block may be elsewhere.
  pinned(part, pins) {
    if (!part) return [];
    const { x, y } = this.middle(part);
    return pins.flatMap(({ number, sure }, place) => [
      make("rect", { x: x - 14 + place * 32, y: y + 20, width: 28, height: 28, rx: 4, class: sure ? "pin" : "pin unsure" }),
      Object.assign(make("text", { x: x + place * 32, y: y + 41, "text-anchor": "middle", "font-size": 20, class: "pin" }), { textContent: number }),
    ]);
  }
}

const isArea = (part) => part.firstElementChild?.localName === "path";

// What only explains, and what the Table tells too: sheets of paper upon a map, rows of words below a card table.
function explanations(svg) {
  const roots = [...svg.children].filter((one) => one.localName === "g");
  const isSheet = ({ firstElementChild: one }) => one?.localName === "rect" && Math.min(one.width.baseVal.value, one.height.baseVal.value) > 200;
  const spans = new Map([...svg.children].filter((one) => one.getBBox).map((one) => [one, span(one)]));
  const below = Math.max(...roots.map((one) => spans.get(one)).filter(([top, end]) => end - top >= CARD).map(([, end]) => end), 0);
  const rows = [...spans].filter(([, [top, end]]) => end > top && top >= below - 4).map(([one]) => one);
  return [...roots.filter(isSheet), ...(rows.some((one) => one.localName === "rect") ? rows : [])];
}

// From where to where something reaches, from above.
function span(part) {
  const { y, height } = part.getBBox();
  const down = part.transform.baseVal.consolidate()?.matrix.f ?? 0;
  return [y + down, y + down + height];
}

// Where an arrow begins: not upon the name of the block.
function beside(from, to) {
  const far = Math.hypot(to.x - from.x, to.y - from.y);
  const share = far > 80 ? 26 / far : 0;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

// The head of an arrow, a little before what it points at.
function tip(from, to) {
  const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / long, (to.y - from.y) / long];
  const at = (along, across) => `${(to.x - dx * along - dy * across).toFixed(1)},${(to.y - dy * along + dx * across).toFixed(1)}`;
  return make("polygon", { points: [at(4, 0), at(26, 11), at(26, -11)].join(" ") });
}
