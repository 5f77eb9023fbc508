// A picture by night: its own colours, darkened.
import { dusk, isPale, nightColour } from "./geometry.js";

const WORDS = 0.7; // words are lighter than other things of their colour

// What bears pale words upon a ground of its own is a block or a card of some side: it keeps its colours by night.
export function night(svg) {
  const kept = new Set([...svg.querySelectorAll("text")].filter((one) => /^#(f|e)/i.test(one.getAttribute("fill") ?? ""))
    .map((one) => one.closest("g")).filter((group) => group?.querySelector("rect")));
  for (const one of svg.querySelectorAll("[fill], [stroke]")) {
    if ([...kept].some((group) => group.contains(one))) continue;
    for (const name of ["fill", "stroke"]) {
      if (one.hasAttribute(name)) one.setAttribute(name, nightColour(one.getAttribute(name), one.localName === "text" ? WORDS : undefined));
    }
  }
}

// A picture and the ground it lies on: on a dark cloth, which is only darkened, all else stays as it is.
export function byNight(svg, ground) {
  const colour = ground?.getAttribute("fill");
  if (isPale(colour)) night(svg);
  else ground.setAttribute("fill", dusk(colour));
}
