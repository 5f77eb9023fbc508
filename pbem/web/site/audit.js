// The audit of a bundle as it is seen: chosen or dropped, claim by claim, and what came of it.
import * as audits from "./audits.js";
import { Button, html } from "./view.js";
import { words } from "./words.js";

const said = words.audit;

export function Audit({ state: { audit } }) {
  if (!audit) return html`<h1>${said.title}</h1>${said.text.map((one) => html`<p>${one}</p>`)}<${Choose} />`;
  const { name, rows, played, of, result, fault } = audit;
  const done = result || fault;
  return html`<div class="audit"><h1>${result ? said.of(result.game || name) : said.of(name)}</h1>
    <p class=${fault || result?.remark ? "fault" : "sub"} role="status">${fault || (result ? result.remark || result.shown : of ? said.played(played, of) : rows.length ? said.checked(rows.length) : said.begins)}</p>
    ${!done && html`<progress max=${of || undefined} value=${of ? played : undefined} aria-label=${said.title}></progress>`}
    ${result?.remark && html`<p class="sub">${result.shown}</p>`}
    ${result && html`<p class="sub">${result.pinned ? said.pinned(result.game) : said.unpinned}</p>`}
    <p class="buttons">${result?.sound && html`<a class="button main" id="look-at-bundle" href="#audit/look">${said.look}</a> `}<${Button} act=${audits.end} said=${done ? said.close : said.stop} /></p>
    <ul class="claims">${rows.map(([state, claim, detail]) => html`<li class=${state}><b>${said.states[state]}</b> ${claim}${detail && html`<small>${detail}</small>`}</li>`)}</ul></div>`;
}

// An archive, or the folder of one.
const Choose = () => html`
  <p class="field"><label for="bundle-file">${said.file}</label>
    <input id="bundle-file" type="file" accept=".gz,.tgz,.zip" onChange=${({ target }) => target.files.length && chosen(target, target.files[0].name, (one) => one.name)} /></p>
  <p class="field"><label for="bundle-folder">${said.folder}</label>
    <input id="bundle-folder" type="file" webkitdirectory onChange=${({ target }) => target.files.length && chosen(target, target.files[0].webkitRelativePath.split("/")[0], (one) => one.webkitRelativePath)} /></p>`;

function chosen(input, name, placeOf) {
  const files = [...input.files].map((one) => [placeOf(one), one]);
  input.value = ""; // the same may be chosen again
  audits.begin(name, files);
}
