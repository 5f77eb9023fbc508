// One game: the head, the picture, the panel with its tabs, and at its foot the one thing to do next.
import * as acts from "./acts.js";
import { unfinished } from "./chips.js";
import { deadline, pace } from "./deadline.js";
import { rows } from "./draft.js";
import { Facts, LeftOut, Section, StillCount } from "./facts.js";
import { Try, capital, css } from "./home.js";
import { Handing, Paste } from "./mail.js";
import { Another, Hint, nextInPractice } from "./practice.js";
import { TimeBetween } from "./more_time.js";
import { Orders } from "./orders.js";
import { PrivateNotes } from "./private_notes.js";
import { Sheet, Signing } from "./signing.js";
import { Story } from "./story.js";
import { Talk } from "./talk.js";
import { Tried, Trying, TryIt, nextInTry } from "./trying.js";
import { Button, Paragraph, html } from "./view.js";
import { words } from "./words.js";

const TABS = { orders: words.orders, story: words.story, table: words.table, talk: words.talk.title };
// Talk is there where the judge has signed that the game has press.
const isShown = (name, game) => name !== "talk" || (game.line.press ?? "none") !== "none";

export const isInvited = ({ line, shown }) => Boolean(shown) && line.exchange === 1 && line.state !== "waiting";

// What the head says of the game besides its name: the time in it, and what is left of the time to order.
export const moment = (shown) => (shown?.headline.find((said) => said.startsWith("Now: ")) ?? "").slice(5).split(", ").filter(Boolean);

export function GamePanel({ state }) {
  const { game, tab } = state;
  const fresh = game.shown && game.shown.exchange > 0;
  const notes = !game.practice && html`<${PrivateNotes} state=${state} />`;
  const inside = { story: Story, talk: Talk, table: () => html`<${Facts} game=${game} />${notes}<${TryIt} game=${game} />` }[tab] ?? Play;
  return html`<nav class="tabs" role="tablist" aria-label=${words.views}>${Object.entries(TABS).filter(([name]) => isShown(name, game)).map(([name, said]) => html`<button type="button" role="tab" key=${name}
      id=${`tab-${name}`} aria-selected=${tab === name} aria-controls="body" disabled=${!fresh && !["orders", "talk"].includes(name)} onClick=${() => acts.showTab(name)}>${said}${name === "talk" && game.line.unread > 0 && html` <${Unread} count=${game.line.unread} />`}${name === "story" && state.unseen && html` <b class="count">${words.newReport}</b>`}</button>`)}</nav>
    ${game.practice && !game.tried && html`<${Hint} state=${state} />`}
    <div class="body" id="body" role="tabpanel" aria-labelledby=${`tab-${tab}`} tabindex="-1" key=${`${tab} ${state.kept || game.line.state}`}>
      ${game.line.forked && html`<p class="fault">${words.forked}</p>`}
      ${game.shown?.fault && html`<p class="fault">${game.shown.fault}</p>`}
      ${game.line.trouble && html`<p class="fault">${game.line.trouble}</p>`}
      ${game.tried && html`<${Tried} game=${game} />`}
      <${inside} state=${state} line=${game.line} />${["orders", "story"].includes(tab) && notes}</div>
    <${Foot} state=${state} />`;
}

// How many messages are new: a number for the eyes, and in words for the ears.
const Unread = ({ count }) => html`<b class="count" aria-hidden="true">${count}</b><span class="heard">${words.newMessages(count)}</span>`;

function Play({ state }) {
  const { game } = state;
  const { line, shown, sealed } = game;
  const why = acts.whyWaits(state, line);
  const far = why && html`<p class="sub">${standing(game)}</p>`; // else the foot says it
  if (!shown) return html`<h1>${words.states[line.state][0]}</h1>${far}<${Carrier} state=${state} />${line.state === "joining" && html`<${Try} />`}<${Paste} />`;
  const mailFirst = ["handed over", "receipted", "waiting"].includes(line.state);
  return html`<h1>${headline(game)}</h1><${Carrier} state=${state} />
    ${isInvited(game) && line.state === "draft" && html`<${Invitation} shown=${shown} line=${line} />`}
    ${!isInvited(game) && line.state === "draft" && !shown.idle && html`<p class="sub">${asked(shown)}</p>`}
    ${line.is_last && html`<p class="remark">${words.isLast}</p>`}
    ${line.state !== "draft" && far}
    ${!isInvited(game) && line.state === "draft" && html`<${LeftOut} shown=${shown} />`}
    ${line.state === "over" && ending(shown).map((part) => html`<${Paragraph} part=${part} />`)}
    ${(line.state === "sealed" || why) && sealed && html`<${Handing} made=${sealed} />`}
    ${isInvited(game) && line.state !== "draft" && html`<details><summary>${words.theInvitation}</summary><${Invitation} shown=${shown} line=${line} /></details>`}
    ${state.back && html`<${Handing} id="back" made=${state.back} said=${words.talk.backText} sealed=${words.signing.text} />`}
    ${why && sealed && html`<p><${Button} act=${acts.handed} said=${words.handed} /></p>`}
    ${line.files.map((said) => html`<p class="remark">${said}</p>`)}
    ${line.missing_receipts.length > 0 && html`<p class="fault">${words.missing(line.missing_receipts.join(", "))}</p>`}
    ${mailFirst && !acts.canSend(line) && html`<${Paste} open=${line.state === "handed over"} />`}
    ${acts.isOpen(line) && html`<${Orders} state=${state} />`}
    ${acts.isOpen(line) && html`<${StillCount} shown=${shown} />`}
    ${acts.mayOrder(line) && !game.practice && html`<${TimeBetween} state=${state} />`}
    ${acts.isOpen(line) && line.state !== "draft" && state.standing.saved && html`<p><${Button} act=${acts.seal} said=${words.sealAgain} id="seal" /></p>`}
    ${line.closed && html`<section>${html`<${Button} act=${acts.reveal} said=${words.reveal} />`}
      ${state.revealed && html`<${Handing} made=${state.revealed} />`}</section>`}
    ${line.state !== "sealed" && !why && sealed && html`<details><summary>${words.outAgain}</summary><${Handing} made=${sealed} /></details>`}
    <${TryIt} game=${game} />
    ${game.tried ? html`<${Trying} game=${game} />` : game.practice ? html`<${Another} state=${state} />` : !(mailFirst && !acts.canSend(line)) && html`<${Paste} />`}
    ${!game.practice && shown && html`<${Signing} about=${line.game} standing=${state.standing} signed=${state.signed} sends=${acts.canSend(line)} key=${line.game} /><${Sheet} game=${line.game} key=${`sheet ${line.game}`} />`}`;
}

// How far it is, in a sentence.
const standing = (game) => {
  const { line } = game;
  if (line.state === "joining" && acts.canSend(line)) return line.joined ? words.joinSent : words.joinWaits;
  return line.state === "receipted" && isInvited(game) ? words.accepted : words.states[line.state][1];
};

// Why the post box has not taken what was signed, or gives nothing; what it does without trouble stands in the state.
function Carrier({ state }) {
  const { line, sealed } = state.game;
  if (line.box && !acts.canSend(line)) return line.state === "sealed" && html`<p class="warning">${words.otherBox(line.box)}</p>`;
  const why = acts.whyWaits(state, line), away = state.post.away[line.box];
  if (why) return html`<p class="warning" role="status">${words.why(why)} ${sealed ? words.mailBelow : ""}</p>`;
  return away && html`<p class="warning" role="status">${words.why(away)} ${words.orByMail}</p>`;
}

// How a game ended, which its last report tells after what happened.
const ending = (shown) => shown.sections.filter((one) => !one.table && !one.small && !one.asked).slice(1).flatMap((one) => one.parts);

// What the player has to do, in a word or two.
function headline(game) {
  const { line, shown } = game;
  if (isInvited(game) && line.state === "draft") return words.youAreInvited;
  if (line.state === "draft") return shown.idle ? words.nothingAsked : words.yourMove;
  const mailed = line.state !== "sealed" || !acts.canSend(line);
  return (mailed && words.headlines[line.state]) || words.states[line.state][0];
}

const asked = (shown) => {
  const now = shown.questions.filter((one) => one.now);
  return capital(now.length === 1 ? `${now[0].said.split("?")[0]}?` : now.length ? words.severalAsked(now.length) : shown.wanted);
};

// As a person would put it; as the judge has signed it, with keys and hashes, under "Proof".
function Invitation({ shown, line }) {
  const who = shown.headline.flatMap((said) => {
    const [, side, name] = /^(.+): (.+), key /.exec(said) ?? [];
    return side ? [words.playsAs(name, capital(side))] : [];
  });
  const rules = shown.headline.find((said) => said.startsWith("rules "))?.replace(/^rules \S+ \((.*)\)$/, "$1");
  const proofs = shown.headline.filter((said) => !/\bpbem \w/.test(said));
  const [when, left] = deadline(line.deadline), time = pace(line.deadline);
  return html`<dl class="invitation"><dt>${words.theGame}</dt><dd>${rules ?? shown.title}</dd>
      <dt>${words.whoPlays}</dt><dd>${who.join(", ")}</dd>
      <dt>${words.you}</dt><dd>${capital(line.side)}</dd>
      ${line.deadline && html`<dt>${words.acceptBy}</dt><dd>${when} (${left})</dd>
        ${(line.clock || time) && html`<dt>${words.pace}</dt><dd>${line.clock ? words.clock(line.clock) : words.paceText(time)}</dd>`}`}</dl>
    <p>${words.acceptText}</p>
    <details><summary>${words.proof}</summary><p>${words.proofText}</p>${proofs.map((said) => html`<p>${said}</p>`)}
      ${shown.sections.map((one) => html`<${Section} one=${one} open=${true} />`)}</details>`;
}

// The one button, always in sight, and the state as one quiet line.
function Foot({ state }) {
  const { game } = state;
  const { line } = game;
  const [act, said, id] = next(state);
  const empty = ["seal", "play-turn"].includes(id) && !isInvited(game) && !game.shown.idle && !rows(state.draft?.text ?? "").length;
  const press = (event) => (empty && event.detail > 1 ? undefined : act()); // the second tap of two was meant for the button before
  return html`<footer><${Button} act=${press} said=${said} id=${id} class=${empty || id === "fetch" ? "send" : "send main"} />
    <p class=${`banner ${css(line.state)}`} data-state=${stateOf(game)} data-exchange=${game.line.exchange} role="status">${stateLine(state, id)}</p></footer>`;
}

const stateOf = (game) => (isInvited(game) && game.line.state === "draft" ? "invited" : game.line.state);

function next(state) {
  const { game, standing, tab, draft, confirmSaved } = state;
  const { line } = game;
  if (game.tried) return nextInTry(state);
  if (game.practice) return nextInPractice(state);
  const chooseMail = [() => document.querySelector(".openmail input").click(), words.openMail, "open"];
  const sends = acts.canSend(line), fetchLetters = [acts.carry, words.fetchLetters, "fetch"];
  if (!acts.mayOrder(line)) return sends ? fetchLetters : chooseMail;
  if (tab !== "orders" && line.state === "draft") return [() => acts.showTab("orders"), isInvited(game) ? words.accept : words.toOrders, "to-orders"];
  if (line.state === "sealed") return sends ? [acts.send, words.send, "send"] : [acts.handed, words.handed, "handed"];
  if (line.state === "to be sent") return [acts.carry, words.sendNow, "send-now"];
  if (["handed over", "sent", "receipted"].includes(line.state)) return sends ? fetchLetters : chooseMail;
  if (!standing.saved) return confirmSaved ? [acts.haveHome, words.haveIt, "have"] : [acts.saveHome, words.save, "save"];
  if (isInvited(game)) return [acts.seal, words.accept, "seal"];
  if (rows(draft?.text ?? "").length) return [acts.seal, sends ? words.send : words.seal, "seal"];
  return [acts.seal, game.shown.idle ? words.bare : words.sendNothing, "seal"];
}

function stateLine(state, next) {
  const { game: { line, shown, practice }, study, tab } = state, why = acts.whyWaits(state, line);
  const [when] = line.deadline ? deadline(line.deadline) : [""];
  const silence = shown?.questions.find((one) => one.now)?.said.match(/If you say nothing: (.*?)\.?$/)?.[1];
  const mistakes = tab === "orders" && acts.isOpen(line) ? (study?.faults ?? []).filter((one) => !one.remark).length : 0;
  if (next === "save") return words.saveWhy;
  if (next === "have") return words.haveWhy;
  if (mistakes && mistakes === unfinished(state).length) return html`<b>${words.incomplete}</b>`;
  if (mistakes) return html`<b class="mistake">${words.mistakes(mistakes, silence)}</b>`;
  if (state.game.tried) return words.trying.foot;
  if (practice) return line.state === "draft" ? words.practiceLine(tab === "orders" && !rows(state.draft?.text ?? "").length && silence) : words.states.over[1];
  if (line.state === "draft" && tab !== "orders") return when ? words.turnUntil(when) : words.states.draft[1];
  if (line.state === "draft") return when ? words.unsent(when, silence) : words.states.draft[1];
  const then = !isInvited(state.game) ? words.changeUntil // what was accepted stays so
    : line.state === "receipted" ? words.othersAccept : (by) => `${words.acceptBy} ${by}.`;
  return [why ? words.why(why) : standing(state.game), when && acts.mayOrder(line) && then(when)].filter(Boolean).join(" ");
}
