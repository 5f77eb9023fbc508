// The picture: map or card table. It can be moved and enlarged; what stands for something can be tapped, dragged to
// where it goes, or reached by arrow keys as one stop of the tab key. The picture is Python's own, parsed as SVG.
import { isPale, namesIn, nextIn, panned, revealed, whole, zoomed } from "./geometry.js";
import { night } from "./night.js";
import { Component, html } from "./view.js";
import { words } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const SLOP = 8; // pixels that a finger may slip in a tap
const NEARER = 1.5;
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
    this.hold = (box) => { this.box = box; };
    this.holdLive = (live) => { this.live = live; };
  }

  render({ said }) {
    return html`<div class="board">
      <div class="picture" ref=${this.hold} tabindex="0" role="application" aria-label=${`${words.map}. ${said} ${words.mapHelp}`}></div>
      <p class="live" role="status" aria-live="polite" ref=${this.holdLive}></p>
      <div class="tools">
        <button type="button" aria-label=${words.larger} onClick=${() => this.zoom(NEARER)}>+</button>
        <button type="button" aria-label=${words.smaller} onClick=${() => this.zoom(1 / NEARER)}>−</button>
        <button type="button" aria-label=${words.wholePicture} onClick=${() => this.look(this.all)}>⤢</button>
        ${this.legends?.length > 0 && html`<button type="button" aria-label=${words.legend} aria-pressed=${this.explained}
          onClick=${() => this.explain(!this.explained)}>?</button>`}
      </div>
    </div>`;
  }

  componentDidMount() {
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.repaint = () => this.draw();
    this.dark.addEventListener("change", this.repaint);
    this.sized = new ResizeObserver(() => this.fit());
    this.sized.observe(this.box);
    for (const [name, act] of Object.entries({ pointerdown: this.down, pointermove: this.moved, pointerup: this.up,
      pointercancel: this.up, click: this.clicked, keydown: this.key })) this.box.addEventListener(name, act.bind(this));
    this.box.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(1.0015 ** -event.deltaY, this.share(event));
    }, { passive: false });
    this.draw();
  }

  componentWillUnmount() {
    this.dark.removeEventListener("change", this.repaint);
    this.sized.disconnect();
  }

  componentDidUpdate(before) {
    if (before.svg !== this.props.svg) return this.draw();
    this.light();
    this.mark();
  }

  draw() {
    this.at = undefined;
    const svg = new DOMParser().parseFromString(this.props.svg, "image/svg+xml").documentElement;
    this.size = svg.viewBox.baseVal;
    this.size = { x: this.size.x, y: this.size.y, w: this.size.width, h: this.size.height };
    for (const name of ["width", "height", "font-family"]) svg.removeAttribute(name);
    svg.setAttribute("role", "presentation");
    svg.querySelector("title")?.remove();
    const ground = [...svg.children].find((one) => one.localName === "rect");
    if (this.dark.matches && isPale(ground?.getAttribute("fill"))) night(svg); // a dark cloth is for the night as it is
    this.box.parentNode.style.background = ground?.getAttribute("fill") ?? "";
    ground?.remove();
    this.marks = make("g", { class: "drawn" });
    svg.append(this.marks);
    this.box.replaceChildren(svg);
    this.svg = svg;
    this.parts = [...svg.querySelectorAll("[data-name]")];
    this.view = undefined;
    this.fit();
    this.light();
    this.mark();
    this.legends = [...svg.children].filter((one) => one.localName === "g" && !one.attributes.length && one.firstElementChild?.localName === "rect");
    this.explain(false);
  }

  // What the signs mean lies upon the picture, and is shown when it is asked for.
  explain(explained) {
    this.explained = explained;
    for (const one of this.legends) one.style.display = explained ? "" : "none";
    this.forceUpdate();
  }

  // Where one looks from

  fit() {
    const { clientWidth: w, clientHeight: h } = this.box;
    if (!w || !h || !this.size) return;
    const near = this.view ? this.all.w / this.view.w : 1;
    const middle = this.view && { x: this.view.x + this.view.w / 2, y: this.view.y + this.view.h / 2 };
    this.all = whole(this.size, { w, h });
    this.look(near > 1.01 ? zoomed(revealed({ ...this.all, w: this.all.w / near, h: this.all.h / near }, middle, this.all), 1, { x: 0.5, y: 0.5 }, this.all) : this.all);
  }

  look(view) {
    this.view = view;
    this.svg.setAttribute("viewBox", [view.x, view.y, view.w, view.h].map((one) => one.toFixed(2)).join(" "));
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
      this.slipped = true;
      this.dragged = undefined;
      return;
    }
    const part = this.hit(event);
    this.slipped = this.tapped = false;
    this.from = { x: event.clientX, y: event.clientY };
    this.dragged = part?.classList.contains("lit") && part.firstElementChild.localName === "rect" ? part : undefined;
  }

  moved(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    if (!this.slipped && Math.hypot(now.x - this.from.x, now.y - this.from.y) < SLOP) return;
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
    if (!this.pointers.delete(event.pointerId) || this.pointers.size) return;
    if (!this.slipped && event.type === "pointerup" && event.pointerType === "touch") {
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
    const part = this.hit(event);
    if (!part) return;
    this.stand(part);
    this.take(part);
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

  stand(part) {
    this.at?.classList.remove("at");
    this.at = part;
    part.classList.add("at");
    const ways = this.props.light.filter((offer) => offer.name === part.dataset.name);
    this.live.textContent = [part.dataset.name, ...ways.map((offer) => offer.line)].join(". ");
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      if (this.at) this.take(this.at);
      event.preventDefault();
    }
    if (KEYS[event.key]) this.zoom(KEYS[event.key]);
    if (event.key === "0") this.look(this.all);
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
    const lit = new Set(this.props.light.map((offer) => offer.name));
    for (const part of this.parts) part.classList.toggle("lit", lit.has(part.dataset.name));
  }

  mark() {
    const known = new Map(this.parts.map((part) => [part.dataset.name, part]));
    const drawn = this.props.rows.flatMap(({ said, number, past }) => {
      const points = namesIn(said, known.keys()).map((name) => this.middle(known.get(name)));
      if (!points.length || (past && points.length < 2)) return [];
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
    this.marks.replaceChildren(...drawn);
  }
}

// The head of an arrow, a little before what it points at.
function tip(from, to) {
  const long = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / long, (to.y - from.y) / long];
  const at = (along, across) => `${(to.x - dx * along - dy * across).toFixed(1)},${(to.y - dy * along + dx * across).toFixed(1)}`;
  return make("polygon", { points: [at(4, 0), at(26, 11), at(26, -11)].join(" ") });
}
