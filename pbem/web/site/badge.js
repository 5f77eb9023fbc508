// How many games wait for the player: in the title, and on the installed page where the browser can show it.
import { waitingOf } from "./due.js";

// null while nobody has unlocked the home.
export function countOf({ phase, standing, leagues }) {
  if (phase !== "ready" || !standing) return null;
  if (!standing.keys.length) return 0;
  return standing.keys.some((key) => key.unlocked) ? waitingOf(standing.games, leagues).length : null;
}

// Tells the count to the title of a page and to a device; while the count is not known, the device goes on showing the last.
// `anew`: it may show something else since, for the device was woken.
export function createBadge(page, device) {
  const bare = page.title;
  let last;
  return (count, { anew = false } = {}) => {
    if (count === last && !anew) return;
    last = count;
    page.title = count ? `(${count}) ${bare}` : bare;
    if (count === null) return;
    const shown = count ? device.setAppBadge?.(count) : device.clearAppBadge?.();
    shown?.catch?.(() => {}); // where pages are not installed
  };
}
