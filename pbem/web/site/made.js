// What a start has compiled, for the next ones: beside the site's own files in the cache of the version in use, under
// the hash of them all. Where there is no service worker nothing is kept, and each start compiles anew.
const at = (name) => new URL(`./${name}`, import.meta.url).href;

async function places() {
  const sums = await (await fetch(at("SHA256SUMS"))).arrayBuffer();
  const hash = [...new Uint8Array(await crypto.subtle.digest("SHA-256", sums))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return { library: at(`made/${hash}/python_stdlib.zip`), files: at(`made/${hash}/package`) };
}

async function inUse() {
  const chosen = await caches.match(new URL("/chosen", import.meta.url).href, { cacheName: "pbem-choice" });
  return chosen && caches.open(`pbem-${await chosen.text()}`);
}

// {library: the address of Python's library, files: [[place, bytes], ...]}; nothing if nothing was made of these files.
export async function made() {
  try {
    const { library, files } = await places();
    const kept = await (await inUse())?.match(files);
    const answer = kept && (await fetch(library)); // the service worker may not be asked, as after a forced reload
    await answer?.body.cancel();
    return answer?.ok ? { library, files: unpacked(new Uint8Array(await kept.arrayBuffer())) } : undefined;
  } catch {
    return undefined;
  }
}

export async function make(zip, files) {
  const cache = await inUse();
  if (!cache || !zip.length) return;
  const where = await places();
  await cache.put(where.library, new Response(zip, { headers: { "Content-Type": "application/zip" } }));
  await cache.put(where.files, new Response(packed(files)));
}

// How many bytes the list of places and sizes has, in four bytes; the list; and the files one after the other.
export function packed(files) {
  const list = new TextEncoder().encode(JSON.stringify(files.map(([place, bytes]) => [place, bytes.length])));
  const head = new Uint8Array(4);
  new DataView(head.buffer).setUint32(0, list.length);
  return new Blob([head, list, ...files.map(([, bytes]) => bytes)]);
}

export function unpacked(data) {
  const start = 4 + new DataView(data.buffer, data.byteOffset).getUint32(0);
  let from = start;
  return JSON.parse(new TextDecoder().decode(data.subarray(4, start))).map(([place, size]) => [place, data.subarray(from, (from += size))]);
}
