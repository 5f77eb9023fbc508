// How many games wait for the player, and how many messages are new: in the title, and on the installed page where the
// browser can show a number, both together. A message makes no game wait.
import { waitingOf } from "./due.js";
import { words } from "./words.js";

// null while nobody has unlocked the home.
export function countsOf({ phase, standing, leagues }) {
  if (phase !== "ready" || !standing) return null;
  if (!standing.keys.length) return { waiting: 0, unread: 0 };
  if (!standing.keys.some((key) => key.unlocked)) return null;
  const unread = [...standing.games, ...leagues].reduce((sum, line) => sum + (line.unread ?? 0), 0);
  return { waiting: waitingOf(standing.games, leagues).length, unread };
}

// Tells the counts to the title of a page and to a device; while they are not known, the device goes on showing the last.
// `anew`: it may show something else since, for the device was woken.
export function createBadge(page, device) {
  const bare = page.title;
  let last;
  return (counts, { anew = false } = {}) => {
    const said = counts && [counts.waiting || "", counts.unread ? words.newMessages(counts.unread) : ""].filter(Boolean).join("; ");
    if (said === last && !anew) return;
    last = said;
    page.title = said ? `(${said}) ${bare}` : bare;
    if (counts === null) return;
    const sum = counts.waiting + counts.unread;
    const shown = sum ? device.setAppBadge?.(sum) : device.clearAppBadge?.();
    shown?.catch?.(() => {}); // where pages are not installed
  };
}
