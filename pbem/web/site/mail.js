// Mail in and out: letters are opened, and what was signed is handed to the mail program.
import * as acts from "./acts.js";
import { Button, Form, html } from "./view.js";
import { words } from "./words.js";

const Envelope = () => html`<svg viewBox="0 0 22 16" width="22" height="16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2"><rect x="1" y="1" width="20" height="14" rx="2" /><path d="M2 3l9 6 9-6" /></svg>`;

// Chooses files of mail; it stands in the head of the page, whatever is shown.
export const OpenMail = () => html`<label class="openmail" title=${words.openMail}><span>${words.openMail}</span><${Envelope} />
  <input type="file" multiple onChange=${({ target }) => acts.receiveFiles(target)} /></label>`;

export const Paste = ({ open = false }) => html`<details id="mail" open=${open}><summary>${words.paste}</summary>
  <p class="sub">${words.openText}</p>
  <${Form} said=${words.takeIn} act=${(form) => acts.receiveText(form.elements.paste.value).then(() => form.reset())}>
    <textarea name="paste" rows="4" aria-label=${words.paste}></textarea><//></details>`;

// Something to be handed to a mail program.
export function Handing({ made, said = words.outText, sealed = words.sealedText, id = "out" }) {
  return html`<div class="out" id=${id}><p>${said(made.to || words.noAddress)}</p>
    <p class="mailto">${words.subject}: <strong>${made.subject}</strong>
      ${made.to && html`<br /><a href=${`mailto:${made.to}?subject=${encodeURIComponent(made.subject)}`}>${words.begun}</a>`}</p>
    ${made.copies.length > 0 && html`<p>${words.copies}: ${made.copies.join(", ")}</p>`}
    <p class="buttons">
      <${Button} act=${() => acts.takeText(made)} said=${words.download} />
      ${made.eml && html`<${Button} act=${() => acts.takeMail(made)} said=${words.mail} />`}
      <${Button} act=${() => acts.copy(made)} said=${words.copy} />
      ${acts.canShare(made) && html`<${Button} act=${() => acts.share(made)} said=${words.share} />`}</p>
    <details><summary>${sealed}</summary><textarea readonly rows="5" class="sealed" aria-label=${sealed} value=${made.text}></textarea></details>
    ${made.remarks.map((one) => html`<p class="remark">${one}</p>`)}</div>`;
}
