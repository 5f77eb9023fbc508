// Python with this package in it: in the page's worker, and in tests under Node.
export const PLACE = "/lib/pbem";

// `bundle` is pbem.json, read; `primitives` the module primitives.js.
export function install(python, bundle, primitives) {
  python.registerJsModule("pbem_primitives", primitives);
  add(python, bundle);
  python.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(PLACE)})`);
}

// More of the package, which may come later.
export function add(python, bundle) {
  const folders = new Set();
  for (const [name, held] of Object.entries(bundle)) {
    const path = `${PLACE}/${name}`;
    const folder = path.slice(0, path.lastIndexOf("/"));
    if (!folders.has(folder)) {
      python.FS.mkdirTree(folder);
      folders.add(folder);
    }
    python.FS.writeFile(path, typeof held === "string" ? held : bytesOf(held[0]));
  }
  python.runPython("import importlib; importlib.invalidate_caches()");
}

// Bytecode where Python looks for it: [place, bytes] each.
export function write(python, files) {
  for (const [path, bytes] of files) {
    python.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    python.FS.writeFile(path, bytes);
  }
}

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}
