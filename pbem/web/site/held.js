// A key as the browser's own objects, which sign and agree and cannot be read out: what tabs may give one another.
const HEAD = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65], TAIL = [4, 0x22, 4, 0x20]; // PKCS #8, RFC 8410

// Of a seed, and of the secret that opens letters to it. Not every browser has them; then this fails.
export async function browserKeys(seed, secret) {
  const made = (algorithm, mark, bytes, uses) =>
    crypto.subtle.importKey("pkcs8", Uint8Array.from([...HEAD, mark, ...TAIL, ...bytes]), algorithm, false, uses);
  const [sign, agree] = await Promise.all([made("Ed25519", 0x70, seed, ["sign"]), made("X25519", 0x6e, secret, ["deriveBits"])]);
  return { sign, agree };
}

// One act with such a key: a signature, or what it makes of a share.
export async function perform(key, act, data) {
  if (act === "sign") return new Uint8Array(await crypto.subtle.sign("Ed25519", key.sign, data));
  const share = await crypto.subtle.importKey("raw", data, "X25519", true, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "X25519", public: share }, key.agree, 256));
}

export const isHeld = (given, now = Date.now()) => Boolean(given?.keys?.length) && given.until > now;
