// Elements, made without markup: text is only ever text.
export function el(name, given = {}, ...inner) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked" || key === "disabled") made[key] = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...there(inner));
  return made;
}

// What is left out of an element: what is not there, and what only says whether it is.
const there = (inner) => inner.flat().filter((one) => one !== undefined && one !== null && typeof one !== "boolean" && one !== 0);

// What stands in an element from now on; what is not there is left out.
export const fill = (box, ...inner) => box.replaceChildren(...there(inner));

export const button = (said, act, given = {}) => el("button", { type: "button", onclick: act, ...given }, said);

export function field(said, given = {}, hint = "") {
  const id = `field-${++field.count}`;
  const told = hint ? el("small", { id: `${id}-hint` }, hint) : undefined;
  // A telephone would write a capital, and correct what is no word.
  const input = el("input", { id, autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    "aria-describedby": hint ? `${id}-hint` : undefined, ...given });
  const box = el("p", { class: "field" }, el("label", { for: id }, said), input, told);
  return { box, input };
}
field.count = 0;

// A paragraph of what Python says, set in as far as it is there.
export const paragraph = (part) => {
  const classes = [part.indent > 3 ? "in deeper" : part.indent ? "in" : "", part.apart ? "apart" : ""].filter(Boolean);
  return el("p", { class: classes.join(" ") || undefined }, part.said);
};

export function note(said, kind = "note") {
  const box = document.getElementById("notes");
  const close = button("×", () => made.remove(), { "aria-label": "Close" });
  const made = el("div", { class: kind }, el("p", {}, said), close);
  box.append(made);
  while (box.children.length > 4) box.firstChild.remove();
  box.scrollIntoView({ block: "nearest" });
}

export function clearNotes() {
  document.getElementById("notes").replaceChildren();
}

export function download(name, data, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([data], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

export async function toBase64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let place = 0; place < bytes.length; place += 32768) {
    text += String.fromCharCode(...bytes.subarray(place, place + 32768));
  }
  return btoa(text);
}
