// Elements: a name, what is given to it, and what is in it; text is only ever text.

const SVG = "http://www.w3.org/2000/svg";

export function h(name, given = {}, ...inner) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inner.flat(3).filter((one) => one !== undefined && one !== false && one !== ""));
  return made;
}
export function s(name, given = {}, ...inner) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...inner);
  return made;
}

export const button = (label, act, ...inner) => h("button", { type: "button", "aria-label": label, title: label, onclick: act }, ...inner);
