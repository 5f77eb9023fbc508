import { test } from "node:test";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { Away, boxesIn, carry, fetchAll, reasonOf, sendAll } from "../../../pbem/web/site/outbox.js";

const POLICY = "default-src 'none'; connect-src 'self' https://a.example/ https://b.example:8443/x/; worker-src 'self'";

test("the boxes of a page are those of its policy", () => {
  assert.deepEqual(boxesIn(POLICY), ["https://a.example/", "https://b.example:8443/x/"]);
  assert.deepEqual(boxesIn("default-src 'none'; connect-src 'self'; worker-src 'self'"), []);
  assert.deepEqual(boxesIn(""), []);
});

const A = "https://a.example/", B = "https://b.example/";
const took = { status: 200, text: "{}" };

// What a box does with each number, in turn: a status, or nothing at all.
async function sending(waiting, does) {
  const log = [];
  const why = await sendAll({
    waiting: waiting.map(([number, box]) => ({ number, box })),
    request: async (number) => ({ number }),
    posted: async (number) => (log.push(`kept ${number}`), does[number] !== "lies"),
    send: async ({ number }) => {
      log.push(`asked ${number}`);
      if (does[number] === "away") throw new Away();
      return typeof does[number] === "number" ? { status: does[number], text: "" } : took;
    },
  });
  return { log, why };
}

test("what waits is sent in order, and one after the other", async () => {
  const { log, why } = await sending([[1, A], [2, B], [3, A]], {});
  assert.deepEqual(log, ["asked 1", "kept 1", "asked 2", "kept 2", "asked 3", "kept 3"]);
  assert.deepEqual(why, {});
});

test("a box that is away holds up what follows for it, and not what is for another", async () => {
  const { log, why } = await sending([[1, A], [2, B], [3, A]], { 1: "away" });
  assert.deepEqual(log, ["asked 1", "asked 2", "kept 2"]);
  assert.deepEqual(why, { 1: "away", 3: "away" });
});

test("what is too large holds up nothing", async () => {
  const { log, why } = await sending([[1, A], [2, A]], { 1: 413 });
  assert.deepEqual(log, ["asked 1", "asked 2", "kept 2"]);
  assert.deepEqual(why, { 1: "large" });
});

test("a box that says that it stored something else has not taken it", async () => {
  const { why } = await sending([[1, A], [2, A]], { 1: "lies" });
  assert.deepEqual(why, { 1: "refused", 2: "refused" });
});

test("why a box takes nothing is one word", () => {
  assert.equal(reasonOf({ status: 400, text: '{"fault": "clock", "text": "…", "time": "2026-11-28T03:00:00Z"}' }), "clock 2026-11-28T03:00:00Z");
  assert.equal(reasonOf({ status: 400, text: '{"fault": "clock", "time": "<b>soon</b>"}' }), "refused");
  assert.equal(reasonOf({ status: 400, text: "<html>" }), "refused");
  assert.equal(reasonOf({ status: 400, text: "null" }), "refused");
  assert.deepEqual([413, 429, 503, 507, 403, 302].map((status) => reasonOf({ status, text: "" })),
    ["large", "busy", "busy", "full", "refused", "refused"]);
});

test("a fault of ours is no fault of the box", async () => {
  const broken = { waiting: [{ number: 1, box: A }], request: async () => { throw new TypeError("ours"); } };
  await assert.rejects(sendAll(broken), TypeError);
});

// A box with letters, of which each answer gives one.
async function fetching(letters, { readers = [{ box: A, key: "k" }], does = () => undefined } = {}) {
  const log = [];
  let through = 0;
  const found = await fetchAll({
    readers,
    request: async ({ box, key }) => ({ do: "fetch", box, key }),
    take: async ({ key }, text) => {
      const number = JSON.parse(text).letter;
      log.push(`kept ${number}`);
      through = number;
      return { key, number, more: number < letters, acknowledgement: { do: "acknowledge", number } };
    },
    send: async (asked) => {
      const said = does(asked);
      if (said === "away") throw new Away();
      if (said) return { status: said, text: "" };
      log.push(asked.do === "fetch" ? `fetched after ${through}` : `acknowledged ${asked.number}`);
      return { status: 200, text: JSON.stringify({ letter: through + 1 }) };
    },
  });
  return { log, ...found };
}

test("each letter is kept before it is acknowledged, and the next is fetched after that", async () => {
  const { log, came, why } = await fetching(2);
  assert.deepEqual(log, ["fetched after 0", "kept 1", "acknowledged 1", "fetched after 1", "kept 2", "acknowledged 2"]);
  assert.deepEqual(came.map((one) => one.number), [1, 2]);
  assert.deepEqual(why, {});
});

test("what was kept is told though its acknowledgement was lost", async () => {
  const { log, came, why } = await fetching(2, { does: (asked) => asked.do === "acknowledge" && "away" });
  assert.deepEqual(log, ["fetched after 0", "kept 1"]);
  assert.deepEqual(came.map((one) => one.number), [1]);
  assert.deepEqual(why, { [A]: "away" });
});

test("an answer that Python refuses is the box's fault", async () => {
  const { why } = await fetchAll({ readers: [{ box: A }], request: async () => ({}), take: async () => null, send: async () => took });
  assert.deepEqual(why, { [A]: "refused" });
});

test("a box that never ends is left", async () => {
  const { came } = await fetching(Infinity);
  assert.equal(came.length, 30);
});

test("a box that is away is asked once, another all the same", async () => {
  const readers = [{ box: A, key: "k" }, { box: A, key: "l" }, { box: B, key: "k" }];
  const { came, why } = await fetching(1, { readers, does: ({ box }) => box === A && 507 });
  assert.equal(came.length, 1);
  assert.deepEqual(why, { [A]: "full" });
});

async function served(answer, act) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((done) => server.once("listening", done));
  try {
    return await act(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("a request carries its header and its body, and no more", async () => {
  const got = await served(async (asked, answer) => {
    const pieces = [];
    for await (const piece of asked) pieces.push(piece);
    answer.end(JSON.stringify([asked.method, asked.url, asked.headers["pbem-request"], Buffer.concat(pieces).toString(), asked.headers.cookie]));
  }, (url) => carry({ url: `${url}post`, header: "aGVhZA==", body: "sealed" }));
  assert.equal(got.status, 200);
  assert.deepEqual(JSON.parse(got.text), ["POST", "/post", "aGVhZA==", "sealed", null]);
});

test("an endless answer, a redirection and silence are no answer", async () => {
  const endless = (asked, answer) => {
    const more = () => { while (answer.write("x".repeat(100_000))); };
    answer.on("drain", more);
    more();
  };
  const elsewhere = (asked, answer) => answer.writeHead(307, { Location: "/other" }).end();
  const silent = () => {};
  for (const answer of [endless, elsewhere, silent]) {
    await served(answer, (url) => assert.rejects(carry({ url, body: "" }, fetch, 1500), Away));
  }
  await assert.rejects(carry({ url: "http://127.0.0.1:9/", body: "" }), Away);
});
