// The table: what the report tells besides the story, and the proofs, which are a tap away.
import { Paragraph, html } from "./view.js";
import { words } from "./words.js";

// What is as long as a map, whose picture is in sight, comes last.
const LONG = 20; // rows
const isLong = (one) => (one.table?.rows.length ?? 0) >= LONG;

const isStory = (one) => !one.table && !one.small && !one.asked;

export function Facts({ game: { shown, line } }) {
  const story = shown.sections.find(isStory);
  const told = shown.sections.filter((one) => one !== story && !one.small && !one.asked);
  const small = shown.sections.filter((one) => one.small);
  return html`<div class="facts"><h1>${words.table}</h1><p class="sub">${shown.headline.find((said) => said.startsWith("Now")) ?? ""}</p>
    ${line.clock && html`<p class="sub">${words.clockTitle}: ${line.clock}.</p>`}
    ${told.toSorted((one, other) => isLong(one) - isLong(other)).map((one, place) => html`<${Section} one=${one} open=${place < 3 && !isLong(one)} key=${one.title} />`)}
    <details><summary>${words.proof}</summary>${shown.headline.map((said) => html`<p>${said}</p>`)}
      ${small.map((one) => html`<${Section} one=${one} open=${true} />`)}</details>
    ${shown.receipts.length > 0 && html`<${Receipts} found=${shown.receipts} />`}</div>`;
}

// What the player ordered last and the judge could not do: beside the story and the next orders too.
export function LeftOut({ shown }) {
  const found = shown.sections.find((one) => one.title === words.leftOut);
  return found && html`<div class="warning"><p><b>${found.title}</b></p>${found.parts.map((part) => html`<${Paragraph} part=${{ ...part, indent: 0 }} />`)}</div>`;
}

// What was ordered ahead: beside the next orders too. What is long is a tap away.
const SHORT = 8; // paragraphs

export function StillCount({ shown }) {
  const found = shown.sections.find((one) => one.title === words.stillCount);
  return found && html`<${Section} one=${found} open=${found.parts.length <= SHORT} />`;
}

export const Section = ({ one, open }) => html`<details open=${open}><summary><h2>${one.title}</h2></summary>
  ${one.table ? html`<${Rows} given=${one.table} title=${one.title} />` : one.parts.map((part) => html`<${Paragraph} part=${part} />`)}</details>`;

const Rows = ({ given, title }) => html`<div class="wide" tabindex="0" role="group" aria-label=${title}><table>
  ${given.head.length > 0 && html`<thead><tr>${given.head.map((cell) => html`<th>${cell}</th>`)}</tr></thead>`}
  <tbody>${given.rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;

const Receipts = ({ found }) => html`<details><summary>${words.receipts}</summary>${found.toReversed().map((one) =>
  html`<details><summary>${words.receipt(one)}</summary><p><code>${one.sealed}</code></p><pre>${one.words}</pre></details>`)}</details>`;
