// Where an address leads, and what a link to join fills in: #join/GAME/KEY, with a box behind it #join/GAME/KEY/BOX.

// What stands behind the #; an address that nothing has written is the first view. A key may hold slashes, and is told from
// a box by its colon and slashes, which are written as %3A%2F%2F.
export function routeOf(hash) {
  try {
    const [view, ...rest] = hash.slice(1).split("/").map(decodeURIComponent);
    if (view !== "join") return [view, ...rest];
    const box = rest.length > 2 && /:\/\//.test(rest.at(-1)) ? [rest.pop()] : [];
    return [view, rest[0] ?? "", rest.slice(1).join("/").trim(), ...box];
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

// Does an address look back, and behind what do its moments stand? #game/NAME/look/EXCHANGE/STEP, #practice/look/...
export function lookOf(route) {
  const [view, ...rest] = route;
  const begins = { game: 1, practice: 0, audit: 0 }[view];
  return rest[begins] === "look" ? `#${[view, ...rest.slice(0, begins)].map(encodeURIComponent).join("/")}/look/` : "";
}
