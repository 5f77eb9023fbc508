// What a device does by itself: answering, game by game, whose costs are said before it can be switched on; that it is
// woken; and the copy of the home in a post box, by which several devices have one home.
import * as acts from "./acts.js";
import { Button, Field, Form, html } from "./view.js";
import { offersIn } from "./waking.js";
import { words } from "./words.js";

export const Answering = ({ lines, said }) => lines.map(({ game, hours, off, costs }) => {
  const told = said[game] ?? (off && words.answering.off(off));
  return html`<details key=${game} class="answering"><summary>${hours ? words.answering.on(game, hours) : words.answering.title(game)}</summary>
    <p>${words.answering.what}</p>
    <ul>${costs.map((cost) => html`<li>${cost}</li>`)}</ul>
    ${hours ? html`<p><${Button} act=${() => acts.answerByItself(game, "")} said=${words.answering.stop} /></p>`
      : html`<${Form} said=${words.answering.start} act=${({ elements }) => acts.answerByItself(game, elements.hours.value)}>
        <${Field} id=${`hours-${game}`} name="hours" said=${words.answering.hours} hint=${words.answering.hoursHint} defaultValue="18:00" required /><//>`}
    ${told && html`<p role="status">${told}</p>`}</details>`;
});

export const Waking = ({ waking, games }) => waking.can && offersIn(games).map((line) => {
  const mine = waking.key === line.push, on = mine && !waking.lost;
  return html`<details key=${line.push} class="waking"><summary>${(on ? words.waking.on : words.waking.title)(new URL(line.box).host)}</summary>
    <p>${words.waking.what}</p><p>${words.waking.seen}</p>
    ${mine && waking.lost && html`<p class="warning" role="status">${words.waking.lost}</p>`}
    <p><${Button} act=${() => (on ? acts.wakeNoMore : acts.wakeMe)(line)} said=${on ? words.waking.stop : words.waking.start} /></p></details>`;
});

export function Copies({ copy, keys, games, boxes }) {
  const key = keys.find((one) => one.unlocked);
  if (!key) return null;
  const box = games.map((one) => one.box).find((one) => boxes.includes(one)) ?? boxes[0];
  return html`<details class="copies"><summary>${copy.box ? words.homeCopy.on(copy.generation) : words.homeCopy.title}</summary>
    <p>${words.homeCopy.what}</p><p>${words.homeCopy.needs}</p>
    <p><${Button} act=${() => acts.keepCopy(key.name, copy.box ? "" : box)} said=${copy.box ? words.homeCopy.stop : words.homeCopy.start} />
      ${copy.box && html`<${Button} act=${acts.showSheet} said=${words.homeCopy.showSheet} />`}</p>
    ${copy.why && html`<p class="warning" role="status">${words.why(copy.why) ?? copy.why}</p>`}</details>`;
}
