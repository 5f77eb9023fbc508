// The table that was open last, drawn before Python is there: only where the player wants it to be seen without a
// passphrase. It lies beside the home, as a picture and the words for it, and goes when they do not want it any more.
const PLACE = "pbem-last-table";

const stored = (act) => {
  try {
    return act(localStorage);
  } catch {
    return null; // the browser keeps nothing, or has no room
  }
};

export const isWanted = () => stored((kept) => kept.getItem(PLACE)) !== null;
export const want = (wanted) => stored((kept) => (wanted ? kept.setItem(PLACE, "") : kept.removeItem(PLACE)));
export function keep({ svg, words }) {
  stored((kept) => kept.setItem(PLACE, JSON.stringify({ svg, words })));
  return lastTable();
}

// {svg, words}, or null.
export function lastTable() {
  try {
    const { svg, words } = JSON.parse(stored((kept) => kept.getItem(PLACE)));
    return typeof svg === "string" && typeof words === "string" ? { svg, words } : null;
  } catch {
    return null;
  }
}
