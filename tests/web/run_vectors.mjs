// Runs tests/trust/primitives/vectors.py in the site's own Python under Node, with the page's primitives:
// node run_vectors.mjs SITE TESTS EXCHANGED prints a JSON list of faults, and what the page's backend wrote.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, tests, exchanged] = process.argv.slice(2);
const from = (name) => import(pathToFileURL(`${site}/${name}`).href);
const { loadPyodide } = await from("pyodide/pyodide.mjs");
const { install } = await from("python.js");
const python = await loadPyodide({ indexURL: `${site}/pyodide/` });
install(python, JSON.parse(readFileSync(`${site}/pbem.json`, "utf8")), await from("primitives.js"));
python.FS.mkdirTree("/tests/tests/trust/primitives");
for (const name of ["vectors.py", "vectors.toml", "age_cctv.json"]) {
  python.FS.writeFile(`/tests/tests/trust/primitives/${name}`, readFileSync(`${tests}/${name}`));
}
python.globals.set("exchanged", readFileSync(exchanged, "utf8"));
console.log(python.runPython(`
import base64, json, sys
sys.path.insert(0, "/tests")
from pbem.trust import primitives
from tests.trust.primitives.vectors import faults

def decoded(name):
    return base64.b64decode(given[name])

def encoded(data):
    return base64.b64encode(data).decode()

given = json.loads(exchanged)
seed = primitives.read_key_file(decoded("key"), given["passphrase"].encode())
json.dumps({
    "backend": primitives.sign.__module__,
    "faults": faults(primitives),
    "seed": seed.hex(),
    "opened": encoded(primitives.age_open(decoded("sealed"), [seed])),
    "key": encoded(primitives.write_key_file(seed, given["passphrase"].encode(), 4)),
    "sealed": encoded(primitives.age_seal(b"from the page", [given["recipient"], given["line"]])),
    "signature": encoded(primitives.sign(seed, b"from the page")),
})`));
