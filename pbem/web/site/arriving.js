// Where an address leads, and what a link fills in: #join/GAME/KEY joins a game, #enter/LEAGUE/HEAD/KEY enters a league;
// with a box behind it #join/GAME/KEY/BOX and #enter/LEAGUE/HEAD/KEY/BOX. Behind the first word may stand the title that
// is played, as in #join-lords/GAME/KEY.

const LINK = /^(join|enter)-(.+)$/;

// The title that a link names.
export const titleIn = (hash) => LINK.exec(hash.slice(1).split("/")[0])?.[2] ?? "";

// What stands behind the #; an address that nothing has written is the first view. A key may hold slashes, and is told from
// a box by its colon and slashes, which are written as %3A%2F%2F.
export function routeOf(hash) {
  try {
    const [said, ...rest] = hash.slice(1).split("/").map(decodeURIComponent);
    const view = LINK.exec(said)?.[1] ?? said;
    if (!["join", "enter"].includes(view)) return [view, ...rest];
    const first = view === "join" ? 1 : 2;
    const box = rest.length > first + 1 && /:\/\//.test(rest.at(-1)) ? [rest.pop()] : [];
    return [view, ...Array.from({ length: first }, (_, place) => rest[place] ?? ""), rest.slice(first).join("/").trim(), ...box];
  } catch {
    return [""];
  }
}

// What the form to join begins with; `known` are the keys of the judge of that game, the present one last. The key
// in a link is taken where none is known, and never in the place of one: then it is told as `other`. `boxes` are those
// with which the page may talk: another box in a link is left out.
export function arrivalOf(route, known, boxes = []) {
  const [game = "", judge = "", named = ""] = route[0] === "join" ? route.slice(1) : [];
  const differs = known.length > 0 && judge !== "" && !known.includes(judge);
  return { game, judge: differs ? known.at(-1) : judge, other: differs ? judge : "", box: boxes.includes(named) ? named : "" };
}

// Does an address look back, and behind what do its moments stand? #game/NAME/look/EXCHANGE/STEP, #practice/look/..., #try/NAME/look/...
export function lookOf(route) {
  const [view, ...rest] = route;
  const begins = { game: 1, try: 1, practice: 0, audit: 0 }[view];
  return rest[begins] === "look" ? `#${[view, ...rest.slice(0, begins)].map(encodeURIComponent).join("/")}/look/` : "";
}

// What the form to enter a league begins with; `box` is left out if the page may not talk to it.
export function entryOf(route, boxes = []) {
  const [league = "", genesis = "", judge = "", named = ""] = route[0] === "enter" ? route.slice(1) : [];
  return { fill: { league, genesis, judge }, box: boxes.includes(named) ? named : "" };
}
