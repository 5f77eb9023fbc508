// What goes to a post box and comes from there. Python signs what is asked and keeps what waits; this carries it, in
// order, and says in one word why something was not carried. All that a box says is looked at by Python before it counts.
const LARGEST = 12_000_000; // bytes of an answer: one letter alone may have eight million
const MAX_ROUNDS = 30; // answers to one question, so that a box that never ends does
const PATIENCE = 30_000; // milliseconds

// The boxes with which this page may talk stand in its security policy, and nowhere else.
export const boxesIn = (policy) =>
  (/(?:^|;)\s*connect-src\s([^;]*)/.exec(policy)?.[1] ?? "").split(/\s+/).filter((one) => one.endsWith("/"));

export class Away extends Error {} // no answer came, or not all of it

// One request, and the answer as text. `ask` is fetch().
export async function carry({ url, header, body }, ask = fetch, patience = PATIENCE) {
  const headers = { "Content-Type": "application/octet-stream", ...(header && { "Pbem-Request": header }) };
  try {
    const answer = await ask(url, {
      method: "POST", headers, body, credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(patience),
    });
    return { status: answer.status, text: await readText(answer) };
  } catch (fault) {
    throw new Away(fault.message);
  }
}

async function readText(answer) {
  const reader = answer.body.getReader();
  const pieces = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(pieces).text();
    size += value.length;
    if (size > LARGEST) {
      await reader.cancel();
      throw new Error("the answer is too long");
    }
    pieces.push(value);
  }
}

// Why a box did not do what was asked, in one word; behind "clock" stands the box's time.
export function reasonOf({ status, text }) {
  const { fault, time } = status === 400 ? said(text) : {};
  if (fault === "clock" && /^[\d-]{10}T[\d:]{8}Z$/.test(time)) return `clock ${time}`;
  return { 413: "large", 429: "busy", 503: "busy", 507: "full" }[status] ?? "refused";
}

function said(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

// Sends what waits, in its order. What a box does not take holds up what follows for it, but for what is too large: that
// never goes. Returns the reason for each that still waits, by its number.
export async function sendAll({ waiting, request, posted, send = carry }) {
  const why = {}, shut = {};
  for (const { number, box } of waiting) {
    why[number] = shut[box] ?? (await sendOne(number));
    if (why[number] && why[number] !== "large") shut[box] = why[number];
    if (!why[number]) delete why[number];
  }
  return why;

  async function sendOne(number) {
    try {
      const answer = await send(await request(number));
      if (answer.status !== 200) return reasonOf(answer);
      return (await posted(number, answer.text)) ? "" : "refused";
    } catch (fault) {
      if (fault instanceof Away) return "away";
      throw fault;
    }
  }
}

// Fetches for each reader until nothing waits. Letters are kept before they are acknowledged; an acknowledgement that is
// lost is made with the next. Returns what Python said of them, and the reason for each box that could not be asked.
export async function fetchAll({ readers, request, take, send = carry }) {
  const came = [], why = {};
  for (const reader of readers) {
    if (why[reader.box]) continue;
    try {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const answer = await send(await request(reader));
        if (answer.status !== 200) {
          why[reader.box] = reasonOf(answer);
          break;
        }
        const taken = await take(reader, answer.text);
        if (!taken) {
          why[reader.box] = "refused";
          break;
        }
        came.push(taken);
        if (taken.acknowledgement) await send(taken.acknowledgement);
        if (!taken.more) break;
      }
    } catch (fault) {
      if (!(fault instanceof Away)) throw fault;
      why[reader.box] = "away";
    }
  }
  return { came, why };
}
