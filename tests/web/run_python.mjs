// Runs Python in the site's own Python under Node, with the page's primitives and without a browser:
// node run_python.mjs SITE PROJECT CODE GIVEN prints the text that CODE (a file) leaves in `found`. The checkout
// is /project there, behind the page's own packages; `given` is the text of the file GIVEN.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, project, code, given] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(`${site}/${name}`).href);
const { loadPyodide } = await from("pyodide/pyodide.mjs");
const { add, install } = await from("python.js");
const python = await loadPyodide({ indexURL: `${site}/pyodide/` });
install(python, JSON.parse(readFileSync(`${site}/pbem.json`, "utf8")), await from("primitives.js"));
for (const later of ["practice", "audit"]) add(python, JSON.parse(readFileSync(`${site}/${later}.json`, "utf8")));
python.FS.mkdirTree("/project");
python.FS.mount(python.FS.filesystems.NODEFS, { root: project }, "/project");
python.runPython('import sys; sys.path.append("/project")');
python.globals.set("given", readFileSync(given, "utf8"));
python.runPython(readFileSync(code, "utf8"));
console.log(python.globals.get("found"));
