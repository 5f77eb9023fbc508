// The home's files in the browser's storage. One transaction keeps all that a call has changed, or nothing.
const FILES = "files", META = "meta", GENERATION = "generation";

function opened() {
  return new Promise((done, failed) => {
    const asked = indexedDB.open("pbem", 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore(FILES);
      asked.result.createObjectStore(META);
    };
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });
}

const settled = (asked) =>
  new Promise((done, failed) => {
    asked.onsuccess = () => done(asked.result);
    asked.onerror = () => failed(asked.error);
  });

// How often the home was changed: another number than the one known means that another tab did it.
export async function generation() {
  const base = await opened();
  try {
    return (await settled(base.transaction(META).objectStore(META).get(GENERATION))) ?? 0;
  } finally {
    base.close();
  }
}

export async function load() {
  const base = await opened();
  try {
    const kept = base.transaction([FILES, META]);
    const [names, contents, number] = await Promise.all([
      settled(kept.objectStore(FILES).getAllKeys()),
      settled(kept.objectStore(FILES).getAll()),
      settled(kept.objectStore(META).get(GENERATION)),
    ]);
    return { generation: number ?? 0, files: new Map(names.map((name, place) => [name, contents[place]])) };
  } finally {
    base.close();
  }
}

// Keep files and drop others; settled on disk when this returns. Throws, and changes nothing, if it cannot.
export async function keep(written, gone, number) {
  const base = await opened();
  try {
    await new Promise((done, failed) => {
      const change = base.transaction([FILES, META], "readwrite", { durability: "strict" });
      change.oncomplete = done;
      change.onabort = () => failed(change.error ?? new Error("the storage gave no reason"));
      for (const [name, data] of written) change.objectStore(FILES).put(data, name);
      for (const name of gone) change.objectStore(FILES).delete(name);
      change.objectStore(META).put(number, GENERATION);
    });
  } finally {
    base.close();
  }
}

