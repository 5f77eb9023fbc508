// A die thrown again by hand, as the page "Check a die by hand" says it: pure functions.

export const SIDES = 6;

// Of the dice of a shot, each has the label of the shot and its own number.
export const labelOf = (shot, number) => `${shot.label}/die-${number}`;

// What a shell needs; where the key is not known, it comes from the file of the game's bundle.
export const commandOf = (label, exchange, key) =>
  `printf %s 'd${SIDES} ${label} 0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:${key || `$(sha256sum < mix/${exchange}.txt | cut -d' ' -f1)`}`;

// The first byte of a digest below the last whole round of faces gives the die; nothing if there is none.
export function reading(digest) {
  const limit = 256 - (256 % SIDES);
  const at = digest.findIndex((byte) => byte < limit);
  return at < 0 ? undefined : { at, byte: digest[at], value: (digest[at] % SIDES) + 1 };
}

const bytesOf = (hex) => Uint8Array.from(hex.match(/../g), (two) => parseInt(two, 16));
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// The die of a label under the key of its exchange: {trial, digest, at, byte, value}.
export const thrown = async (key, label) => {
  const secret = await crypto.subtle.importKey("raw", bytesOf(key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  for (let trial = 0; ; trial += 1) {
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", secret, new TextEncoder().encode(`d${SIDES} ${label} ${trial}`)));
    const found = reading([...digest]);
    if (found) return { trial, digest: hexOf(digest), ...found };
  }
};
