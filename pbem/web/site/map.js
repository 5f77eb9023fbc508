// The picture: what stands for something can be tapped, or reached by arrow keys as one stop of the tab key.
import { el } from "./dom.js";
import { words } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

// `taken(name, upon)` is called for what is tapped, and what lies upon it: blocks are small on a telephone. The picture is Python's own, and is parsed as SVG, not as HTML.
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
  const upon = (part) => {
    const shape = part.querySelector("path");
    const inverse = shape?.getScreenCTM?.()?.inverse();
    if (!inverse) return [];
    const lies = (other) => other !== part && shape.isPointInFill(new DOMPoint(...middle(other)).matrixTransform(inverse));
    return parts().filter(lies).map((other) => other.dataset.name);
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
      if (at) taken(at.dataset.name, upon(at));
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
  });
  box.addEventListener("click", (event) => {
    const part = event.target.closest("[data-name]");
    if (!part) return;
    look(part);
    taken(part.dataset.name, upon(part));
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
  return { box: el("figure", {}, box, live), light, show };
}
