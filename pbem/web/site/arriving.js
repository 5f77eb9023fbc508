// Where an address leads, and what a link to join fills in: #join/GAME/KEY.

// What stands behind the #; an address that nothing has written is the first view. A key may hold slashes.
export function routeOf(hash) {
  try {
    const [view, ...rest] = hash.slice(1).split("/").map(decodeURIComponent);
    return view === "join" ? [view, rest[0] ?? "", rest.slice(1).join("/").trim()] : [view, ...rest];
  } catch {
    return [""];
  }
}

// What the form to join begins with; `known` are the keys of the judge of that game, the present one last. The key
// in a link is taken where none is known, and never in the place of one: then it is told as `other`.
export function arrivalOf(route, known) {
  const [game = "", judge = ""] = route[0] === "join" ? route.slice(1) : [];
  const differs = known.length > 0 && judge !== "" && !known.includes(judge);
  return { game, judge: differs ? known.at(-1) : judge, other: differs ? judge : "" };
}
