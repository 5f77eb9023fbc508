// A game that is tried out: what marks it, what can be done again in it, and the way into it.
import * as acts from "./acts.js";
import { capital } from "./home.js";
import { Button, html } from "./view.js";
import { words } from "./words.js";

const said = words.trying;

// The button in a game's table and below its orders.
export const TryIt = ({ game }) => !game.practice && game.shown?.exchange > 0 && game.line.state !== "over"
  && html`<p class="try"><${Button} act=${() => acts.tryOut(game.line.game)} said=${said.it} id="try-it" /> <small>${said.itText}</small></p>`;

// What stands above everything else in a try.
export const Tried = ({ game: { tried } }) => html`<div class="tried"><p role="status"><b>${said.mark}</b> ${said.orders(capital(tried.side))} ${tried.remark}</p>
  <details><summary>${words.more}</summary>${tried.mark.slice(1).map((line) => html`<p>${line}</p>`)}</details></div>`;

export function Trying({ game: { tried, choosing, line } }) {
  const choice = (alone, name) => html`<${Button} act=${() => acts.beginTryAgain({ alone })} said=${name} class="chip" aria-pressed=${tried.alone === alone} />`;
  return html`<p class="buttons"><${Button} act=${acts.throwAgain} said=${said.throwAgain} id="throw-again" />
      ${tried.ordered && html`<${Button} act=${acts.takeBack} said=${said.takeBack} id="take-back" />`}
      <${Button} act=${() => acts.beginTryAgain({ anew: true })} said=${said.drawAnew} id="draw-anew" /></p>
    <p class="buttons" role="group" aria-label=${said.others}><span>${said.others}</span> ${choice(false, said.bot)} ${choice(true, said.me)}</p>
    <${Unseen} choosing=${choosing} key=${`${line.exchange} ${tried.game}`} />
    <p class="links"><a href=${`#game/${tried.game}`}>${said.leave(tried.game)}</a></p>`;
}

// Where each hidden block or card is put by hand; several cards of one name are told apart by their order.
function Unseen({ choosing }) {
  const left = choosing.placed.map(([name, place]) => ({ name, place }));
  const put = (name) => { const at = left.findIndex((one) => one.name === name); return at < 0 ? "" : left.splice(at, 1)[0].place; };
  const begin = (event) => {
    event.preventDefault();
    const chosen = [...event.target.querySelectorAll("select")].filter((one) => one.value);
    acts.beginTryAgain({ placed: chosen.map((one) => [one.name, one.value]) });
  };
  return choosing.unseen.length > 0 && html`<details class="unseen"><summary>${said.who}</summary><p class="sub">${said.whoText}</p>
    <form onSubmit=${begin}>${choosing.unseen.map(([name, places], number) => { const at = put(name); return html`<label key=${number}><span>${name}</span>
      <select name=${name}><option value="">${said.drawn}</option>${places.map((place) => html`<option value=${place} selected=${place === at}>${place}</option>`)}</select></label>`; })}
      <button type="submit">${said.begin}</button></form></details>`;
}

export function nextInTry({ game, tab }) {
  if (game.line.state === "over") return [acts.leaveTry, said.leave(game.tried.game), "leave"];
  if (tab !== "orders") return [() => acts.showTab("orders"), words.toOrders, "to-orders"];
  return [acts.playTurn, said.next, "play-turn"];
}
