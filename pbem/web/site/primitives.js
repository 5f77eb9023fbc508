// What pbem.trust.primitives takes from JavaScript: every function takes and gives bytes, and returns at once.
import { ed25519, x25519 } from "./lib/curves/ed25519.js";
import { chacha20poly1305 } from "./lib/ciphers/chacha.js";
import { ctr } from "./lib/ciphers/aes.js";
import { sha512 } from "./lib/hashes/sha2.js";
import { actOn, lentKey } from "./lent.js";
import bcrypt from "./lib/bcrypt-pbkdf/index.js";

const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

// A seed or secret may stand for a key that is unlocked in another tab.
export const publicOf = (seed) => lentKey(seed)?.public ?? ed25519.getPublicKey(seed);

export function sign(seed, message) {
  const key = lentKey(seed);
  if (!key) return ed25519.sign(message, seed);
  const made = actOn(key, "sign", message);
  if (!made || !verifies(key.public, made, message)) throw new Error("another tab gave no signature");
  return made;
}

// RFC 8032 5.1.7 without the cofactor, R compared byte by byte, as OpenSSL does it. The library's own `verify`
// multiplies by the cofactor and so takes signatures that the judge's OpenSSL refuses.
export function verifies(key, signature, message) {
  if (key.length !== 32 || signature.length !== 64) return false;
  const s = littleEndian(signature.subarray(32));
  if (s >= ORDER) return false;
  let point;
  try {
    point = ed25519.Point.fromBytes(key, true);
  } catch {
    return false;
  }
  const r = signature.subarray(0, 32);
  const k = littleEndian(sha512(joined(r, key, message))) % ORDER;
  const found = ed25519.Point.BASE.multiplyUnsafe(s).subtract(point.multiplyUnsafe(k)).toBytes();
  return found.every((byte, place) => byte === r[place]);
}

export const agreementPublic = (secret) => lentKey(secret)?.share ?? x25519.getPublicKey(secret);

export function agree(secret, share) {
  const key = lentKey(secret);
  if (key) return actOn(key, "agree", share);
  try {
    return x25519.getSharedSecret(secret, share);
  } catch {
    return undefined; // a share of low order
  }
}

export const chachaSeal = (key, nonce, plain) => chacha20poly1305(key, nonce).encrypt(plain);

export function chachaOpen(key, nonce, sealed) {
  try {
    return chacha20poly1305(key, nonce).decrypt(sealed);
  } catch {
    return undefined; // the tag is wrong
  }
}

export const aesCtr = (key, counter, data) => ctr(key, counter).encrypt(data);

export function bcryptKdf(passphrase, salt, size, rounds) {
  const made = new Uint8Array(size);
  if (bcrypt.pbkdf(passphrase, passphrase.length, salt, salt.length, made, size, rounds) !== 0) {
    throw new Error("bcrypt refuses what it was given");
  }
  return made;
}

function littleEndian(bytes) {
  let found = 0n;
  for (let place = bytes.length - 1; place >= 0; place--) found = (found << 8n) | BigInt(bytes[place]);
  return found;
}

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let place = 0;
  for (const part of parts) {
    all.set(part, place);
    place += part.length;
  }
  return all;
}
