// The document of a story, unpacked, and places in it: pure functions.

// Every value once, parts before wholes; the tracks' moments then follow one another in one list.
export function unpacked({ keys, nodes, root }) {
  const values = [];
  for (const node of nodes) {
    if (!Array.isArray(node)) values.push(node);
    else if (node[0] < 0) values.push(node.slice(1).map((place) => values[place]));
    else values.push(Object.fromEntries(keys[node[0]].map((key, place) => [key, values[node[place + 1]]])));
  }
  const game = { ...values[root] };
  game.tracks = game.tracks.map(inOneList);
  game.second = game.tracks.flatMap(({ steps }) => steps).find((one) => one.board?.second)?.board.second ?? (game.sides.length === 2 ? game.sides[1].side : "");
  return game;
}

function inOneList(track) {
  const steps = [], pictures = [];
  let before = { board: undefined, layers: [] };
  for (const { exchange, steps: found } of track.exchanges) {
    found.forEach((one, place) => {
      if (one.picture) before = changed(before, one.picture);
      pictures.push(before.board && before);
      steps.push({ ...one, exchange, step: place + 1, of: found.length, at: steps.length });
    });
  }
  return { ...track, steps, pictures };
}

// A picture is named by what differs from the one before it: the layers between those that stay at both ends.
export function changed({ board, layers }, [other, first, last, ...between]) {
  if (!other && !between.length && first + last === layers.length) return { board, layers };
  return { board: other ?? board, layers: [...layers.slice(0, first), ...between, ...layers.slice(layers.length - last)] };
}

// Each measure's numbers, side by side, moment by moment.
export function series(steps) {
  const found = {};
  steps.forEach(({ sizes }, place) => {
    for (const [name, sides] of sizes) {
      for (const [side, number] of Object.entries(sides)) ((found[name] ??= {})[side] ??= new Array(steps.length).fill(0))[place] = number;
    }
  });
  return found;
}

// "#7/3" or "#7/3/scotland", in the player's page behind what its addresses begin with; nothing for any other text.
export function placeOf(hash, begins = "#") {
  const found = hash.startsWith(begins) && /^(\d{1,4})\/(\d{1,4})(?:\/([a-z0-9_-]{1,40}))?$/.exec(hash.slice(begins.length));
  return found ? { exchange: Number(found[1]), step: Number(found[2]), reader: found[3] } : undefined;
}

// Where a moment stands among all of a track; the nearest one where it has none of this number.
export function momentAt({ steps }, { exchange, step }) {
  const there = steps.filter((one) => one.exchange === exchange);
  if (there.length) return there[Math.max(0, Math.min(there.length, step) - 1)].at;
  return steps.find((one) => one.exchange > exchange)?.at ?? Math.max(0, steps.length - 1);
}

// The same moment on another track: as far into the same exchange.
export function sameMoment(from, place, to) {
  const now = from.steps[place];
  if (!now) return 0;
  const of = to.steps.find((one) => one.exchange === now.exchange)?.of ?? 1;
  const step = of === now.of ? now.step : 1 + Math.round(((now.step - 1) * (of - 1)) / Math.max(1, now.of - 1));
  return momentAt(to, { exchange: now.exchange, step });
}

// All steps of a step's exchange.
export const exchangeSteps = ({ steps }, { at, step, of }) => steps.slice(at - step + 1, at - step + 1 + of);

// The commands by which a game is tried out from a moment, one for each side whose eyes show it: of its bundle where there
// are several tracks, else of the reader's home. Nothing can be tried when it is over.
export function commandsOf(game, track, place) {
  const sides = game.sides.map(({ side }) => side), source = (reader) => (game.tracks.length > 1 ? `BUNDLE --as ${reader}` : game.game);
  return game.tracks.filter(({ reader }) => sides.includes(reader) && (reader === track.reader || !sides.includes(track.reader))).flatMap((one) => {
    const now = one.steps[one === track ? place : sameMoment(track, place, one)];
    return !now || (game.outcome && now === one.steps.at(-1)) ? [] : [`pbem try ${source(one.reader)} --exchange ${now.exchange} --step ${now.step}`];
  });
}

// What happens in an exchange: when it begins, and the headings of its steps; where they say no more than when, its first sentence.
export function captionOf(steps) {
  const [{ when, lines }] = steps, begins = wordsOf(when.join(" ")), sorted = (text) => wordsOf(text).sort().join(" ");
  const headings = steps.filter((one) => sorted(one.chapter) !== sorted(one.when.join(" ")) && wordsOf(one.chapter).some((word) => !begins.includes(word))).map((one) => one.chapter);
  return [when.join(", "), ...(headings.length ? new Set(headings) : lines.slice(0, 1))].filter(Boolean).join(" · ");
}

const wordsOf = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().match(/[\p{L}\p{N}]+(?:[-.][\p{L}\p{N}]+)*/gu) ?? [];

// The places of the steps that name all words of a text; where no step has them, of those with words that begin so.
export function placesOf(track, text) {
  const asked = wordsOf(text).map((word) => ` ${word}`);
  if (!asked.length) return [];
  const texts = track.texts ??= track.steps.map((one) => ` ${wordsOf([...one.when, one.chapter, ...one.lines, ...one.about, ...one.own.map(({ said }) => said), ...one.replies.map(([, said]) => said)].join(" \n ")).join(" ")} `);
  const holding = (parts) => texts.flatMap((one, place) => (parts.every((part) => one.includes(part)) ? [place] : []));
  const whole = holding(asked.map((word) => `${word} `));
  return whole.length ? whole : holding(asked);
}

// The places of the steps that followed from each line of orders, by "side/exchange/line".
export function stepsOfLines({ reader, steps }) {
  const found = new Map();
  steps.forEach(({ own, replies }, place) => {
    const lines = [...own.filter(({ applied }) => applied).map(({ exchange, line }) => [reader, exchange, line]), ...replies.map(([side, , , exchange, line]) => [side, exchange, line])];
    for (const [side, exchange, line] of lines) {
      const key = `${side}/${exchange}/${line}`;
      if (line) found.set(key, (found.get(key) ?? new Set()).add(place));
    }
  });
  return new Map([...found].map(([key, places]) => [key, [...places]]));
}
