// The frame: a head, the picture or the table, and a panel. All of it is drawn from the state.
import * as acts from "./acts.js";
import { deadline } from "./deadline.js";
import { Board } from "./board.js";
import { rows } from "./draft.js";
import { GamePanel, moment } from "./game.js";
import { About, Home, Tour, Trouble, Unlock, Welcome } from "./home.js";
import { OpenMail } from "./mail.js";
import { Player } from "./story.js";
import { Button, html } from "./view.js";
import { words } from "./words.js";

export function App({ state }) {
  const { phase, route, standing, game, held, busy } = state;
  const playing = phase === "ready" && game && !["about", "tour"].includes(route[0]);
  return html`<a class="skip" href="#main" onClick=${skip}>${words.skip}</a>
    <${Head} state=${state} game=${playing ? game : null} />
    <main id="main" tabindex="-1" aria-busy=${busy > 0}>
      <section class="view" aria-label=${words.map}>${playing && game.shown?.svg ? html`<${Picture} state=${state} /><${Player} state=${state} />` : html`<${Cover} />`}
        <${Notes} notes=${state.notes} /></section>
      <aside aria-label=${words.panel}>${playing ? html`<${GamePanel} state=${state} />`
        : html`<div class="body alone" id="body" key=${place(state)}><p id="holder" role="status">${held ? words.otherTab : ""}</p><${View} state=${state} /></div>`}</aside>
    </main>`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

// What one reads from its beginning.
const place = ({ phase, route, standing }) => [phase, route[0], standing?.keys.length > 0, standing && acts.isUnlocked(standing)].join();

function View({ state }) {
  const { phase, route, standing } = state;
  if (phase === "trouble") return html`<${Trouble} state=${state} />`;
  if (phase === "starting") return html`<h1>${words.welcome}</h1><p class="sub" role="status">${words.loading}</p>`;
  if (route[0] === "practice") return html`<h1>${words.practice}</h1><p class="sub" role="status">${words.practiceLoading}</p>`;
  if (route[0] === "about") return html`<${About} state=${state} />`;
  if (route[0] === "tour") return html`<${Tour} />`;
  if (!standing.keys.length) return html`<${Welcome} state=${state} />`;
  if (!acts.isUnlocked(standing)) return html`<${Unlock} state=${state} />`;
  return html`<${Home} state=${state} />`;
}

function Head({ state, game }) {
  const { standing, phase } = state;
  const open = phase === "ready" && standing && acts.isUnlocked(standing);
  const due = game?.line.deadline && deadline(game.line.deadline);
  return html`<header><a class="mark" href="#">pbem</a>
    ${game ? html`<span class="game"><h2>${game.practice ? words.practice : game.line.game}</h2><small>${game.shown?.exchange ? game.shown.title.split(":")[0] : ""}</small></span>
      <span class="time">${moment(game.shown).map((said) => html`<i>${said}</i>`)}</span>
      <span class="opp">${game.shown?.exchange ? game.shown.headline[1] : ""}</span>` : html`<span class="game"></span>`}
    <nav aria-label=${words.pages}>${standing?.games.length > 0 && html`<a href="#">${words.home}</a>`}<a href="#tour" class="wide-only">${words.tour}</a><a href="#about" class="wide-only">${words.about}</a></nav>
    ${due && html`<span class="dead" title=${due[0]}>${due[1]}</span>`}
    ${open && !game?.practice && html`<${OpenMail} />`}</header>`;
}

// The picture of what the report shows, with the orders that are written, or with the step that is told.
function Picture({ state }) {
  const { game, draft, light, tab, story, advance } = state;
  const shown = game.shown;
  const lit = tab === "orders" && (!shown.idle || advance || draft?.text.trim()) ? light : [];
  return html`<${Board} svg=${(tab === "story" && story?.svg) || shown.svg} said=${shown.words} light=${lit} take=${acts.taken}
    rows=${tab !== "story" && acts.isOpen(game.line) && draft ? rows(draft.text) : []} />`;
}

// Before there is a game: what one looks like.
const Cover = () => html`<div class="cover" role="img" aria-label=${words.coverText}></div>`;

const Notes = ({ notes }) => html`<div id="notes" role="status" aria-live="polite">${notes.map((one) => html`<div class=${one.kind} key=${one.id}>
  ${one.pre ? html`<details><summary>${one.said}</summary><pre>${one.pre}</pre></details>` : html`<p>${one.said}</p>`}
  <${Button} act=${() => acts.closeNote(one.id)} said="×" aria-label=${words.close} /></div>`)}</div>`;
