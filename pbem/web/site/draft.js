// A draft of orders: its text, the line at hand, and what was before. Rows and text are two views of it.
// `open`: was the line at hand begun by a tap, so that another tap may begin otherwise?
// `typing`: was it written by the keyboard last? One undo takes back all that was typed at a time.
export const createDraft = (text) => ({ text, at: last(text), past: [], future: [], open: false, typing: false });

const last = (text) => text.split("\n").length - 1;
export const lines = (draft) => draft.text.split("\n");
export const lineAt = (draft) => lines(draft)[draft.at] ?? "";

// Above a line that is to be begun stands the one at hand too.
export const above = (draft, said) =>
  lines(draft).slice(0, draft.at + (said.trim() || !lineAt(draft).trim() ? 0 : 1)).join("\n");

function change(draft, text, at, open = false) {
  if (text === draft.text) return { ...draft, at, open, typing: false };
  return { text, at, past: [...draft.past, draft], future: [], open, typing: false };
}

// Typed into the text; `at` is the line of the caret.
export function typed(draft, text, at) {
  const past = draft.typing ? draft.past : [...draft.past, draft];
  return { text, at, past, future: [], open: false, typing: true };
}

export const goTo = (draft, at) => ({ ...draft, at, open: false, typing: false });

// What is offered may be several lines, a heading and its end: then one writes on between them.
function written(draft, all, place, said, open) {
  const indent = /^\s*/.exec(all[place] ?? "")[0];
  const made = said.split("\n").map((one) => indent + one);
  return change(draft, [...all.slice(0, place), ...made, ...all.slice(place + 1)].join("\n"), place + (made.length > 1 ? 1 : 0), open);
}

export const put = (draft, said, open = false) => written(draft, lines(draft), draft.at, said, open);

// A line of its own below the one at hand, or in its place if that is empty or was only begun.
export function begin(draft, said, open = false) {
  const all = lines(draft);
  if (!lineAt(draft).trim() || draft.open) return put(draft, said, open);
  const indent = /^\s*/.exec(all[draft.at])[0] + (/:\s*$/.test(all[draft.at]) ? "    " : "");
  all.splice(draft.at + 1, 0, indent);
  return written(draft, all, draft.at + 1, said, open);
}

// Another line below everything, not within a plan.
export function append(draft, said) {
  const all = lines(draft).join("\n").trimEnd();
  return change(draft, all ? `${all}\n${said}` : said, all ? last(all) + 1 : 0);
}

// Rows for people: each line that says something, with its number, how deep it lies, and where its block ends.
export function rows(text) {
  const all = text.split("\n");
  const found = [], blocks = [];
  all.forEach((line, at) => {
    const said = line.trim();
    if (said === "end") {
      const heading = blocks.pop();
      if (heading) heading.until = at;
      return;
    }
    if (!said || said.startsWith("note ")) return;
    const row = { at, until: at, said, depth: blocks.length, heading: said.endsWith(":"), number: found.length + 1 };
    found.push(row);
    if (row.heading && closes(all, at)) blocks.push(row);
  });
  for (const open of blocks) open.until = all.length - 1;
  return found;
}

// Has a heading an end of its own? One that has none holds a single line.
function closes(all, from) {
  let depth = 1;
  for (const line of all.slice(from + 1)) {
    const said = line.trim();
    if (said === "end") depth -= 1;
    else if (said.endsWith(":")) depth += 1;
    if (!depth) return true;
  }
  return false;
}

// Headings within which the line at hand stands: a plan, a section.
export const depthAt = (draft) => rows(draft.text).filter((row) => row.heading && row.at < draft.at && draft.at <= row.until).length;

export function remove(draft, at) {
  const row = rows(draft.text).find((one) => one.at === at);
  if (!row) return draft;
  const all = lines(draft);
  all.splice(row.at, row.until - row.at + 1);
  return change(draft, all.join("\n"), Math.max(0, Math.min(row.at, all.length) - 1));
}

// Change places with the row before (-1) or after (1) at the same depth.
export function move(draft, at, way) {
  const found = rows(draft.text);
  const row = found.find((one) => one.at === at);
  const beside = row && sibling(found, row, way);
  if (!beside) return draft;
  const [first, second] = way < 0 ? [beside, row] : [row, beside];
  const all = lines(draft);
  const between = all.slice(first.until + 1, second.at);
  const block = (one) => all.slice(one.at, one.until + 1);
  all.splice(first.at, second.until - first.at + 1, ...block(second), ...between, ...block(first));
  return change(draft, all.join("\n"), way < 0 ? first.at : second.until - (row.until - row.at));
}

export function sibling(found, row, way) {
  for (let place = found.indexOf(row) + way; found[place]; place += way) {
    if (found[place].depth === row.depth) return found[place];
    if (found[place].depth < row.depth) return undefined;
  }
  return undefined;
}

export function undo(draft) {
  const before = draft.past.at(-1);
  if (!before) return draft;
  return { ...before, past: draft.past.slice(0, -1), future: [...draft.future, draft], typing: false };
}

export function redo(draft) {
  const after = draft.future.at(-1);
  if (!after) return draft;
  return { ...after, past: [...draft.past, draft], future: draft.future.slice(0, -1), typing: false };
}
