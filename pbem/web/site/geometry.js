// Where the picture is looked at from: pure functions of `view`, the part of it in sight, {x, y, w, h}.
export const NEAREST = 8; // so many times as large as the whole

// The whole picture in a frame of another shape, with what is left over around it, or, where it lies left, on its right.
export function whole(size, frame, left = false) {
  const scale = Math.min(frame.w / size.w, frame.h / size.h) || 1;
  const [w, h] = [frame.w / scale, frame.h / scale];
  return { x: size.x + (left ? 0 : (size.w - w) / 2), y: size.y + (size.h - h) / 2, w, h };
}

// Nearer (factor above 1) or farther; what lies at `at`, in shares of the frame, stays there.
export function zoomed(view, factor, at, all) {
  const w = Math.min(all.w, Math.max(all.w / NEAREST, view.w / factor));
  const h = (w * view.h) / view.w;
  return held({ x: view.x + (view.w - w) * at.x, y: view.y + (view.h - h) * at.y, w, h }, all);
}

// Nearer by a factor than the whole, with a point in the middle.
export function zoomedAt(all, factor, { x, y }) {
  const [w, h] = [all.w / factor, all.h / factor];
  return held({ x: x - w / 2, y: y - h / 2, w, h }, all);
}

// By shares of the frame.
export const panned = (view, right, down, all) => held({ ...view, x: view.x + right * view.w, y: view.y + down * view.h }, all);

// Never beyond the edge of the whole.
export function held(view, all) {
  const within = (place, size, from, length) => Math.min(from + length - size, Math.max(from, place));
  return { ...view, x: within(view.x, view.w, all.x, all.w), y: within(view.y, view.h, all.y, all.h) };
}

// So moved that a point is in sight, away from the edge.
export function revealed(view, point, all) {
  const near = (place, from, length) =>
    place < from + length / 8 || place > from + (length * 7) / 8 ? place - length / 2 : from;
  return held({ ...view, x: near(point.x, view.x, view.w), y: near(point.y, view.y, view.h) }, all);
}

const AROUND = 1.15; // so much larger than what is to be seen

// So near that all of these, {x, y, w, h} each, are in sight.
export function around(boxes, all) {
  const [left, top] = [Math.min(...boxes.map((one) => one.x)), Math.min(...boxes.map((one) => one.y))];
  const [right, bottom] = [Math.max(...boxes.map((one) => one.x + one.w)), Math.max(...boxes.map((one) => one.y + one.h))];
  const w = Math.min(all.w, Math.max(all.w / NEAREST, (right - left) * AROUND, ((bottom - top) * AROUND * all.w) / all.h));
  const h = (w * all.h) / all.w;
  return held({ x: (left + right - w) / 2, y: (top + bottom - h) / 2, w, h }, all);
}

// Of what lies around a point, {left, top, right, bottom} each, the nearest within a distance; -1 if there is none.
export function nearest(boxes, point, most) {
  const beyond = (place, from, to) => Math.max(from - place, 0, place - to);
  const far = boxes.map((one) => Math.hypot(beyond(point.x, one.left, one.right), beyond(point.y, one.top, one.bottom)));
  const least = Math.min(...far);
  return least <= most ? far.indexOf(least) : -1;
}

// A sheet without what lies empty below what is drawn on it.
export function shortened(paper, drawn) {
  const end = Math.min(paper.y + paper.h, drawn.y + drawn.height + 12);
  return end > paper.y ? { ...paper, h: end - paper.y } : paper;
}

// The next of several things in a direction: {x, y} each; -1 if there is none.
export function nextIn(points, from, [right, down]) {
  let best = -1, least = Infinity;
  points.forEach((point, place) => {
    const [dx, dy] = [point.x - from.x, point.y - from.y];
    const along = dx * right + dy * down, across = Math.abs(dx * down) + Math.abs(dy * right);
    const far = along > 1 ? along + 2 * across : Infinity;
    if (far < least) [best, least] = [place, far];
  });
  return best;
}

// Names that a line holds, in its order; a name within a longer one is not meant.
export function namesIn(line, names) {
  const found = [];
  let rest = line;
  for (const name of [...names].sort((one, other) => other.length - one.length)) {
    const within = new RegExp(`(?<![\\p{L}\\p{N}-])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}-])`, "u");
    for (let hit = within.exec(rest); hit; hit = within.exec(rest)) {
      found.push([hit.index, name]);
      rest = rest.slice(0, hit.index) + "\u0000".repeat(name.length) + rest.slice(hit.index + name.length);
    }
  }
  return found.sort((one, other) => one[0] - other[0]).map(([, name]) => name);
}

// A colour by night: what is pale is dark and what is dark is pale; strong colours stay, at least this light.
export function nightColour(colour, least = 0.5) {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "");
  if (!found) return colour;
  const [r, g, b] = found.slice(1).map((part) => parseInt(part, 16) / 255);
  const [most, lowest] = [Math.max(r, g, b), Math.min(r, g, b)];
  const light = (most + lowest) / 2;
  const strong = most === lowest ? 0 : (most - lowest) / (1 - Math.abs(2 * light - 1));
  let hue = 0;
  if (most !== lowest) {
    const span = most - lowest;
    hue = 60 * (most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4);
  }
  const now = strong > 0.4 && light < 0.6 ? Math.max(light, least) : 0.12 + 0.8 * (1 - light) ** 1.15;
  return `hsl(${Math.round(hue)} ${Math.round(strong * (light > 0.6 ? 42 : 75))}% ${Math.round(now * 100)}%)`;
}

// Is a colour nearer to white than to black? No colour counts as pale: what lies on nothing lies on paper.
export function isPale(colour) {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour ?? "");
  if (!found) return true;
  const parts = found.slice(1).map((part) => parseInt(part, 16));
  return Math.max(...parts) + Math.min(...parts) > 255;
}

// The colour of a dark cloth by night, on which all else stays as it is.
export const dusk = (colour) => colour.replace(/[0-9a-f]{2}/gi, (part) => Math.round(parseInt(part, 16) * 0.55).toString(16).padStart(2, "0"));
