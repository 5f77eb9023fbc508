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

// The names of the home's keys, as they are before anything has read them.
export async function namesOfKeys() {
  const base = await opened();
  try {
    const files = await settled(base.transaction(FILES).objectStore(FILES).getAllKeys());
    return files.flatMap((name) => /^keys\/([a-z0-9_-]+)$/.exec(name)?.[1] ?? []);
  } finally {
    base.close();
  }
}

// Keep files and drop others, if the home is still at this generation, which goes up by one; settled on disk
// when this returns. Throws, and changes nothing, if it cannot.
export async function keep(written, gone, known) {
  const base = await opened();
  try {
    const change = base.transaction([FILES, META], "readwrite", { durability: "strict" });
    let why = new Error("the storage gave no reason");
    const done = new Promise((settle, failed) => {
      change.oncomplete = settle;
      change.onabort = () => failed(change.error ?? why);
    });
    const asked = change.objectStore(META).get(GENERATION);
    asked.onsuccess = () => {
      try {
        if ((asked.result ?? 0) !== known) throw new Error("another tab has changed the home meanwhile");
        for (const [name, data] of written) change.objectStore(FILES).put(data, name);
        for (const name of gone) change.objectStore(FILES).delete(name);
        change.objectStore(META).put(known + 1, GENERATION);
      } catch (fault) {
        why = fault;
        change.abort();
      }
    };
    await done;
  } finally {
    base.close();
  }
}

// An object of the browser's own, as a key that cannot be read out: it stays here, and is in no file of the home.
const inMeta = async (way, act) => {
  const base = await opened();
  try {
    return await settled(act(base.transaction(META, way).objectStore(META)));
  } finally {
    base.close();
  }
};
export const keptObject = (name) => inMeta("readonly", (meta) => meta.get(name));
export const keepObject = (name, object) => inMeta("readwrite", (meta) => meta.put(object, name));
export const forgetObject = (name) => inMeta("readwrite", (meta) => meta.delete(name));
