// The picture: what stands for something can be tapped, or reached by arrow keys as one stop of the tab key.
import { button, el } from "./dom.js";
import { words } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

// `taken(name, upon, below)` is called for what is tapped, what lies upon it, and what it lies upon: blocks are small
// on a telephone, and hide the area that somebody means. The picture is Python's own, and is parsed as SVG, not as HTML.
export function picture(svg, said, taken) {
  const drawn = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  drawn.removeAttribute("width");
  drawn.removeAttribute("height");
  drawn.setAttribute("role", "presentation");
  drawn.querySelector("title")?.remove();
  const live = el("p", { class: "live", role: "status", "aria-live": "polite" });
  const box = el("div", { class: "picture", tabindex: 0, role: "application", "aria-label": `${words.map}. ${said} ${words.mapHelp}` }, drawn);
  const parts = () => [...drawn.querySelectorAll("[data-name]")];
  let at;
  let lit = new Map();

  const middle = (part) => {
    const { left, top, width, height } = part.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  };
  const lies = (small, large) => {
    const shape = large.querySelector("path");
    const inverse = small !== large && shape?.getScreenCTM?.()?.inverse();
    return Boolean(inverse) && shape.isPointInFill(new DOMPoint(...middle(small)).matrixTransform(inverse));
  };
  const take = (part) => taken(part.dataset.name,
    parts().filter((other) => lies(other, part)).map((other) => other.dataset.name),
    parts().filter((other) => lies(part, other)).map((other) => other.dataset.name));
  // Scrolls the large picture alone, until something is in its middle.
  const reveal = (part) => {
    const [x, y] = middle(part), frame = box.getBoundingClientRect();
    box.scrollBy(x - frame.left - frame.width / 2, y - frame.top - frame.height / 2);
  };
  const look = (part) => {
    at?.classList.remove("at");
    at = part;
    if (!part) return;
    part.classList.add("at");
    const ways = lit.get(part.dataset.name) ?? [];
    live.textContent = [part.dataset.name, ...ways.map((offer) => offer.line)].join(". ");
  };
  const turned = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      if (at) take(at);
      event.preventDefault();
    }
    const way = turned[event.key];
    if (!way) return;
    event.preventDefault();
    if (!at) return look(parts()[0]);
    const [x, y] = middle(at);
    const away = (part) => {
      const [right, down] = middle(part).map((value, axis) => value - [x, y][axis]);
      const along = right * way[0] + down * way[1], across = Math.abs(right * way[1]) + Math.abs(down * way[0]);
      return along > 1 ? along + 2 * across : Infinity;
    };
    const next = parts().filter((part) => part !== at && part.dataset.name !== at.dataset.name)
      .reduce((best, part) => (away(part) < away(best) ? part : best), at);
    look(next);
    if (box.classList.contains("large")) reveal(next);
  });
  box.addEventListener("click", (event) => {
    // What lies upon an area and stands for nothing, a hidden block, is no obstacle.
    const hit = (element) => element.closest(".picture [data-name]");
    const part = hit(event.target) ?? document.elementsFromPoint(event.clientX, event.clientY).map(hit).find(Boolean);
    if (!part) return;
    look(part);
    take(part);
  });

  // What may be tapped now lights up.
  const light = (offers) => {
    lit = new Map();
    for (const offer of offers) if (offer.name) lit.set(offer.name, [...(lit.get(offer.name) ?? []), offer]);
    for (const part of parts()) part.classList.toggle("lit", lit.has(part.dataset.name));
  };

  // Each line as an arrow through what it names, in its order.
  const show = (lines) => {
    drawn.querySelector(".drawn")?.remove();
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "drawn");
    const known = new Map(parts().map((part) => [part.dataset.name, part]));
    const names = [...known.keys()].sort((one, other) => other.length - one.length);
    const toPicture = drawn.getScreenCTM()?.inverse();
    for (const line of toPicture ? lines : []) {
      const found = [];
      let rest = line;
      for (const name of names) {
        const place = rest.indexOf(name);
        if (place < 0) continue;
        found.push([place, known.get(name)]);
        rest = rest.replace(name, " ".repeat(name.length));
      }
      const points = found.sort((one, other) => one[0] - other[0]).map(([, part]) => {
        const point = new DOMPoint(...middle(part)).matrixTransform(toPicture);
        return `${point.x.toFixed(1)},${point.y.toFixed(1)}`;
      });
      if (points.length < 2) continue;
      const path = document.createElementNS(SVG, "polyline");
      path.setAttribute("points", points.join(" "));
      group.append(path);
    }
    drawn.append(group);
  };
  const size = button(words.larger, () => {
    const large = box.classList.toggle("large");
    size.textContent = large ? words.smaller : words.larger;
    if (large) reveal(at ?? drawn);
  }, { class: "size" });
  return { box: el("figure", {}, el("div", { class: "above" }, live, size), box), light, show };
}
