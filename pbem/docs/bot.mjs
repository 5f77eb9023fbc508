// A bot in another language: whatever it is asked, or may order ahead, it draws among what is legal.
// node bot.mjs GAMES pbem tool bot --stdio --game lords
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [games, command, ...words] = process.argv.slice(2);

/** Numbers that a seed decides (mulberry32), so that a game can be played again. */
function dice(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Plays one game; resolves to how it ended and how often orders were refused. */
async function play(seed) {
  const table = spawn(command, [...words, "--seed", String(seed)], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: table.stdout })[Symbol.asyncIterator]();
  const random = dice(seed);
  const draw = (list) => list[Math.floor(random() * list.length)];
  const say = async (message) => {
    if (message) table.stdin.write(`${JSON.stringify(message)}\n`);
    return JSON.parse((await lines.next()).value);
  };

  /** A line that counts: what is offered is taken until nothing is missing; "" if it leads nowhere. */
  async function lineAhead(above) {
    for (let line = "", step = 0; step < 20; step += 1) {
      const { counts, offers } = await say({ line, above });
      if (counts) return `${line}\n`;
      if (offers.length === 0) return "";
      line = draw(offers).line;
    }
    return "";
  }

  let refused = 0;
  let message = await say(null);
  while (message.type !== "end") {
    if (message.type === "refusal") refused += 1;
    let orders = "";
    for (const { legal, default: fallback } of message.questions ?? []) orders += `${draw(legal) ?? fallback}\n`;
    if (message.type === "position" && orders === "") orders = await lineAhead("");
    message = await say({ orders });
  }
  return { ...message, refused };
}

let refusals = 0;
for (let seed = 1; seed <= Number(games); seed += 1) {
  const { winner, reason, refused } = await play(seed);
  refusals += refused;
  console.log(`game ${seed}: ${winner ?? "nobody"} wins (${reason})`);
}
console.log(`${refusals} orders were refused`);
process.exitCode = refusals === 0 ? 0 : 1;
