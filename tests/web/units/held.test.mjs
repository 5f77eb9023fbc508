import { test } from "node:test";
import assert from "node:assert/strict";
import { browserKeys, isHeld, perform } from "../../../pbem/web/site/held.js";

const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const hex = (data) => [...data].map((byte) => byte.toString(16).padStart(2, "0")).join("");

// RFC 8032 7.1, test 2
const SEED = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
const SIGNATURE = "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
const ALICE = "77076d0a7318a57d3c16c17251b26645c6c2f92ef4a2b1f4f5f6f7f8f9fafbfc";

test("a held key signs as its seed does, and cannot be read out", async () => {
  const key = await browserKeys(bytes(SEED), bytes(ALICE));
  assert.equal(hex(await perform(key, "sign", bytes("72"))), SIGNATURE);
  for (const one of [key.sign, key.agree]) {
    assert.equal(one.extractable, false);
    await assert.rejects(crypto.subtle.exportKey("pkcs8", one));
    await assert.rejects(crypto.subtle.exportKey("jwk", one));
  }
});

test("two held keys agree, and a share of low order makes nothing", async () => {
  const pair = await crypto.subtle.generateKey("X25519", true, ["deriveBits"]);
  const raw = async (key) => new Uint8Array(await crypto.subtle.exportKey("raw", key));
  const key = await browserKeys(bytes(SEED), bytes(ALICE));
  const nine = Uint8Array.from([9, ...new Uint8Array(31)]);
  const mine = await perform(key, "agree", nine);
  const theirs = await crypto.subtle.deriveBits({ name: "X25519", public: await crypto.subtle.importKey("raw", mine, "X25519", true, []) }, pair.privateKey, 256);
  assert.equal(hex(await perform(key, "agree", await raw(pair.publicKey))), hex(new Uint8Array(theirs)));
  await assert.rejects(perform(key, "agree", new Uint8Array(32)));
});

test("what nobody holds, or held too long, is not held", () => {
  assert.equal(isHeld(null), false);
  assert.equal(isHeld({ keys: [], until: 9 }, 1), false);
  assert.equal(isHeld({ keys: [{}], until: 9 }, 8), true);
  assert.equal(isHeld({ keys: [{}], until: 9 }, 9), false);
});
