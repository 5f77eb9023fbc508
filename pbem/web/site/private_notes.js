// What a player notes for nobody but themselves: a text about the game, and markers on enemy blocks.
import * as acts from "./acts.js";
import { chosenBlock } from "./pins.js";
import { Button, Field, Form, html } from "./view.js";
import { words } from "./words.js";

const said = words.privateNotes;

export function PrivateNotes({ state: { privateNotes: notes, marking, picked, game } }) {
  if (!notes) return null;
  const count = notes.marks.length + (notes.text ? 1 : 0);
  return html`<details class="private" open=${count > 0}><summary><h2>${said.title(count)}</h2></summary>
    <p class="sub">${said.what}</p>
    ${notes.marks.length > 0 && html`<ol class="marks">${notes.marks.map((one) => html`<li key=${one.number} value=${one.number}>
      <span class="said" dir="auto">${one.text}</span><small>${said.about(one.about, one.said)}</small>
      <${Button} act=${() => acts.removeMark(one.number)} said="✕" aria-label=${said.remove(one.number)} /></li>`)}</ol>`}
    ${notes.blocks.length > 0 && html`<details open=${picked.length > 0}><summary>${said.markTitle}</summary><${Form} said=${said.mark} act=${acts.markBlock}>
      <p class="field"><label for="mark-block">${said.block}</label>
        <select id="mark-block" name="block">${notes.blocks.map((one, place) => html`<option key=${one.said} value=${place} selected=${place === chosenBlock(notes.blocks, picked)}>${one.said}</option>`)}</select></p>
      ${notes.blocks.some(({ area }) => game.shown?.names.includes(area)) && html`<p class="buttons"><${Button} class="chip" act=${acts.pickBlock} aria-pressed=${marking} said=${marking ? said.picking : said.pick} /></p>`}
      <${Field} id="mark-text" name="text" said=${said.text} maxlength=${notes.largest_mark} required /><//></details>`}
    <${Form} said=${said.keep} act=${acts.keepNote}><p class="field"><label for="game-note">${said.game}</label>
      <textarea id="game-note" name="text" rows="3" dir="auto" maxlength=${notes.largest} defaultValue=${notes.text} key=${notes.text}></textarea></p><//></details>`;
}
