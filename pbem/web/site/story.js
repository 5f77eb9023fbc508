// The story of a report, step by step: on the picture, on the battle board, and as the list of what happened.
import * as acts from "./acts.js";
import { LeftOut } from "./facts.js";
import { diceOf, linesBeside, titleOf } from "./steps.js";
import { Button, html } from "./view.js";
import { words } from "./words.js";

export function Story({ state }) {
  const { story, step, game } = state;
  const { reports } = game.shown;
  const now = story.steps[step];
  return html`<div class="story">
    <${Missed} state=${state} />
    ${now && html`<${Told} step=${now} />`}
    ${hasLines(now?.board) && html`<${Battle} board=${now.board} />`}
    ${now?.own.length > 0 && html`<${Own} lines=${now.own} />`}
    ${now?.board?.shot && html`<p class="links"><a href=${`${acts.addressOf(game)}/look/${story.exchange}/${step + 1}`}>${words.checkDie}</a></p>`}
    ${story.exchange === game.shown.exchange && html`<${LeftOut} shown=${game.shown} />`}
    <h2>${words.whatHappened}${reports.length > 1 ? html`<select aria-label=${words.moment} value=${story.exchange}
      onChange=${({ target }) => acts.showReport(Number(target.value))}>
      ${reports.filter(Boolean).toReversed().map((number) => html`<option value=${number}>${words.exchange(number)}</option>`)}</select>` : ""}</h2>
    <ol class="log">${story.steps.map((one, place) => html`<li key=${place} class=${place === step ? "now" : place > step ? "next" : ""}>
      <button type="button" aria-current=${place === step ? "step" : undefined} onClick=${() => acts.goToStep(place)}>${one.lines.join(" ")}</button></li>`)}</ol>
    ${!story.steps.length && html`<p class="sub">${words.noStory}</p>`}
    <p class="links"><a id="look-back" href=${`${acts.addressOf(game)}/look/${story.exchange}/1`}>${words.lookBack}</a>
      ${!game.practice && story.steps.length > 0 && html`<${Button} act=${() => acts.tryOut(game.line.game, { exchange: story.exchange, step: step + 1 })} said=${words.trying.fromHere} id="try-here" class="link" />`}
      ${game.line.state === "over" && !game.practice && html`<a href="#audit">${words.allEyes}</a>`}</p>
  </div>`;
}

// The exchanges that came while the player was away: the oldest comes first, and a step after its last leads to the next.
function Missed({ state: { missed, story } }) {
  if (!(missed?.length > 1 && missed.includes(story.exchange))) return null;
  const next = missed.find((number) => number > story.exchange);
  return html`<p class="missed" role="status"><b>${words.missed(missed.length)}</b> ${words.missedPlace(missed.indexOf(story.exchange) + 1, missed.length)}
    ${next && html` <${Button} act=${() => acts.showReport(next)} said=${words.toMissed(next)} class="link" />`}</p>`;
}

// A battle that only begins has nobody in line yet.
const hasLines = (board) => board && (board.totals.length > 0 || board.lines.some(([, fighters]) => fighters.length));

// What a step tells: below the battle or the moves that it belongs to, else as the heading itself. Dice come first:
// on a telephone too they are seen without a scroll.
function Told({ step }) {
  const head = step.board?.area ? words.battleOf(step.board.area) : step.chapter;
  const lines = linesBeside(step), [first, ...others] = lines;
  return html`<div aria-live="polite"><h1>${head || first || words.whatHappened}</h1>
    ${step.board?.shot && html`<${Roll} board=${step.board} />`}
    <div class="sub">${(head ? lines : others).map((said) => html`<p>${said}</p>`)}</div></div>`;
}

// Both lines in the order in which they act, the dice of a shot, and who is hit.
function Battle({ board }) {
  const { lines, reserves, shot, hit, totals, second } = board;
  const block = (one) => html`<div key=${one.name} class=${`blk${one.side === second ? " second" : ""}${shot?.fighter === one.name ? " act" : ""}${hit.includes(one.name) ? " hit" : ""}${one.fate ? " gone" : ""}`}>
    <b>${one.said || one.name}</b>${one.full > 0 && html`<i role="img" aria-label=${words.steps(one.strength, one.full)}>${"●".repeat(one.strength)}${"○".repeat(Math.max(0, one.full - one.strength))}</i>`}<small>${one.fate || one.rating}</small></div>`;
  const side = ([name, fighters]) => html`<div class="side" key=${name}><h3>${name}</h3>
    ${totals.filter(([of]) => of === name).map(([, said]) => html`<p class="total">${said}</p>`)}${fighters.map(block)}
    ${reserves.filter(([of, count]) => of === name && count).map(([, count]) => html`<small>${words.inReserve(count)}</small>`)}</div>`;
  const [first, other] = lines;
  return html`${lines.length > 2 ? html`<div class="clash many">${lines.map(side)}</div>`
    : html`<div class="clash">${first && side(first)}<div class="vs" aria-hidden="true">⚔</div>${other && side(other)}</div>`}`;
}

// Why it hits on more than its block says, as a noble at home does.
function added(shot, lines) {
  const rating = lines.flatMap(([, fighters]) => fighters).find((one) => one.name === shot.fighter)?.rating ?? "";
  const more = /^[A-Z]\d$/.test(rating) ? shot.hits_up_to - Number(rating[1]) : 0;
  return more > 0 ? ` (${rating} +${more})` : "";
}

// The dice of a shot, and on what they hit.
const Roll = ({ board: { shot, lines } }) => html`<div class="roll"><span>${words.fires(shot.fighter, shot.hits_up_to)}${added(shot, lines)}</span><span class="dice">${diceOf(shot).map((one) =>
  html`<u class=${one.hit ? "h" : ""} role="img" aria-label=${one.hit ? words.hitDie(one.pips) : `${one.pips}`}>${one.pips}</u>`)}</span></div>`;

// The line of the player's own plan that decided it, and those that did not, and why.
const Own = ({ lines }) => html`<section class="own" aria-label=${words.byYourPlan}>${lines.map(({ said, exchange, line, applied, why }) =>
  html`<p class=${applied ? "applied" : "stood"}>${said ? html`<b>${applied ? words.applied : words.stoodDown(why)}</b><q>${said}</q>
    <small>${words.orderLine(line, exchange)}</small>` : html`<b>${words.noLine}</b>`}</p>`)}</section>`;

// The bar over the picture.
export function Player({ state }) {
  const { story, step, playing } = state;
  if (!story?.steps.length) return null;
  const now = story.steps[step];
  return html`<div class="play" role="group" aria-label=${words.story}>
    <button type="button" aria-label=${words.stepBack} onClick=${() => acts.nextStep(-1)}>◀</button>
    <button type="button" aria-label=${playing ? words.pause : words.playOn} aria-pressed=${playing} onClick=${() => acts.play()}>${playing ? "❚❚" : "▷"}</button>
    <b>${titleOf(now) || words.story}</b><span>${now.board?.round ? words.round(now.board.round) : ""} ${words.stepOf(step + 1, story.steps.length)}</span>
    <progress class="wide-only" max=${story.steps.length} value=${step + 1} aria-label=${words.stepOf(step + 1, story.steps.length)}></progress>
    ${story.steps.some((one) => one.board) && html`<button type="button" class="wide-only" aria-label=${words.nextBattle} onClick=${acts.toNextBattle}>⚔</button>`}
    <button type="button" aria-label=${words.stepOn} onClick=${() => acts.nextStep(1)}>▶</button></div>`;
}
