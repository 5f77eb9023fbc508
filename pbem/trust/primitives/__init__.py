"""The interface to what `trust` takes from libraries: signatures, key agreement, ciphers, key and age files.

One small interface with two backends. Where Python runs on a machine of its own it is `native`: cryptography,
bcrypt and pyrage. In a browser, where none of them can be loaded, it is `javascript`: the libraries that the
player's page brings, and on top of them `openssh` and `age`, in Python. Both give the same bytes or the same
faults (tests/trust/primitives/ holds both against the same vectors), and each opens what the other wrote.

    public_of(seed), sign(seed, message), verifies(public, signature, message)    Ed25519, RFC 8032
    agree(secret, share), agreement_public(secret)                               X25519, RFC 7748
    chacha_seal(key, nonce, plain), chacha_open(key, nonce, sealed)              RFC 8439
    aes256_ctr(key, counter, data), bcrypt_kdf(passphrase, salt, size, rounds)   what OpenSSH locks a key with
    write_key_file(seed, passphrase, rounds), read_key_file(data, passphrase)    openssh-key-v1
    age_seal, age_seal_drawing, age_open, age_recipient, check_age_recipient     age-encryption.org/v1

`es256` stands apart: nobody but the notifier signs with it, and no backend of the page has it.

What is to be sealed again to the same bytes (`age_seal_drawing`) is written by `age` in both. SHA-2, HMAC and
random bytes are Python's own in both. What can go wrong is in `faults`.

`verifies` is the equation of RFC 8032 5.1.7 without the cofactor, compared byte by byte, as OpenSSL and
OpenSSH do it: if the page took a signature that the judge refuses, the two would part.
"""

import sys

if sys.platform == "emscripten":
    from pbem.trust.primitives.javascript import (
        aes256_ctr,
        age_open,
        age_recipient,
        age_seal,
        age_seal_drawing,
        agree,
        agreement_public,
        bcrypt_kdf,
        chacha_open,
        chacha_seal,
        check_age_recipient,
        public_of,
        read_key_file,
        sign,
        verifies,
        write_key_file,
    )
else:
    from pbem.trust.primitives.native import (
        aes256_ctr,
        age_open,
        age_recipient,
        age_seal,
        age_seal_drawing,
        agree,
        agreement_public,
        bcrypt_kdf,
        chacha_open,
        chacha_seal,
        check_age_recipient,
        public_of,
        read_key_file,
        sign,
        verifies,
        write_key_file,
    )

__all__ = [
    "aes256_ctr",
    "age_open",
    "age_recipient",
    "age_seal",
    "age_seal_drawing",
    "agree",
    "agreement_public",
    "bcrypt_kdf",
    "chacha_open",
    "chacha_seal",
    "check_age_recipient",
    "public_of",
    "read_key_file",
    "sign",
    "verifies",
    "write_key_file",
]
