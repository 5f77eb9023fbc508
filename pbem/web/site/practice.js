// A game against the bot: what it says besides what every game shows, and the button that plays a turn.
import * as acts from "./acts.js";
import { rows } from "./draft.js";
import { hintOf } from "./hints.js";
import { capital } from "./home.js";
import { Button, html } from "./view.js";
import { words } from "./words.js";

export function Hint({ state }) {
  const { line, shown } = state.game;
  const hint = hintOf(state, (question) => acts.cardsOf(state, question).length);
  if (!hint) return null;
  const first = line.last_report === shown.reports[0] && !state.draft?.text.trim();
  return html`<div class="hint"><p role="status">${first && html`${words.practiceBegins(capital(line.side), shown.title.split(":")[0])} `}<b>${words.hints[hint]}</b></p>
    <${Button} act=${acts.hideHints} said="×" aria-label=${words.noHints} /></div>`;
}

// Another game, or none.
export function Another({ state: { choices, game } }) {
  const sides = ({ name, title, sides }) => html`<p key=${name}>${title}</p><p class="buttons">${sides.map((side) =>
    html`<${Button} key=${side} act=${() => acts.beginPractice(name, side)} said=${words.playAs(capital(side))} class="chip" />`)}</p>`;
  return html`<details onToggle=${({ currentTarget }) => currentTarget.open && acts.showChoices()}><summary>${words.anotherGame}</summary>
      <p class="sub">${words.anotherGameText}</p>${choices?.map(sides)}</details>
    ${game.line.state !== "over" && html`<p class="links"><a href="#">${words.leavePractice}</a></p>`}`;
}

export function nextInPractice({ game, tab, draft }) {
  if (game.line.state === "over") return [acts.leavePractice, words.leavePractice, "leave"];
  if (tab !== "orders") return [() => acts.showTab("orders"), words.toOrders, "to-orders"];
  return [acts.playTurn, rows(draft?.text ?? "").length ? words.playTurn : words.playOnTurn, "play-turn"];
}
