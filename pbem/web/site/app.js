// The frame: a head, the picture or the table, and a panel. All of it is drawn from the state.
import * as acts from "./acts.js";
import { lookOf, titleIn } from "./arriving.js";
import { deadline } from "./deadline.js";
import { Audit } from "./audit.js";
import * as audits from "./audits.js";
import { Board } from "./board.js";
import { rows } from "./draft.js";
import { addressOf, leagueName, nameOf, nextOf, waitingOf } from "./due.js";
import { GamePanel, moment } from "./game.js";
import { League } from "./league.js";
import { About, Home, Tour, Trouble, Unlock, Welcome } from "./home.js";
import { LookBack } from "./looking_back.js";
import { OpenMail } from "./mail.js";
import { Player } from "./story.js";
import { pinsOf } from "./pins.js";
import { Button, html } from "./view.js";
import { words } from "./words.js";

export function App({ state }) {
  const { phase, route, game, held, busy, last, standing } = state;
  const playing = phase === "ready" && game && !["about", "tour"].includes(route[0]);
  const shown = playing && game.shown?.svg, look = phase === "ready" && lookOf(route);
  const lock = standing && acts.isUnlocked(standing) ? { said: words.lockNow, act: acts.lockNow } : undefined;
  const looked = look && (playing ? { leave: { href: acts.addressOf(game), said: words.toGame }, load: () => acts.lookBack(game), tryOut: game.practice ? null : (moment) => acts.tryOut(game.line.game, moment) }
    : state.audit?.result?.sound && { leave: { href: "#audit", said: words.audit.back }, load: audits.story });
  if (looked) return html`<${LookBack} key=${look} at=${look} lock=${lock} ...${looked} /><${Notes} notes=${state.notes} />`;
  return html`<a class="skip" href="#main" onClick=${skip}>${words.skip}</a>
    <${Head} state=${state} game=${playing ? game : null} />
    <main id="main" tabindex="-1" aria-busy=${busy > 0} class=${!shown ? "reading" : hasAreas(shown) ? undefined : "table"}>
      <section class="view" aria-label=${words.map}>${shown ? html`<${Picture} state=${state} /><${Player} state=${state} />` : last ? html`<${Last} table=${last} />` : html`<${Cover} title=${titleIn(location.hash) || standing?.games[0]?.title || ""} />`}</section>
      <aside aria-label=${words.panel}><${Notes} notes=${state.notes} />${playing ? html`<${GamePanel} state=${state} />`
        : html`<div class="body alone" id="body" key=${place(state)}><p id="holder" role="status">${held ? words.otherTab : phase === "starting" && state.standing ? words.loading : ""}</p><${View} state=${state} /></div>`}</aside>
    </main>`;
}

// Is a picture a map? Else it is a table of cards, which a telephone gives more of its height.
const hasAreas = (svg) => /data-name="[^"]*"><path/.test(svg);

function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

// What one reads from its beginning.
const place = ({ phase, route, standing }) =>
  [phase === "starting" && standing ? "ready" : phase, route[0], route[0] === "league" && route[1], standing?.keys.length > 0, standing && acts.isUnlocked(standing)].join();

function View({ state }) {
  const { phase, route, standing } = state;
  if (phase === "trouble") return html`<${Trouble} state=${state} />`;
  if (phase === "starting" && !standing) return html`<h1>${words.welcome}</h1><p class="sub" role="status">${words.loading}</p>`;
  if (route[0] === "practice" || (route[0] === "try" && standing && acts.isUnlocked(standing))) return html`<h1>${words.practice}</h1><p class="sub" role="status">${words.practiceLoading}</p>`;
  if (route[0] === "about") return html`<${About} state=${state} />`;
  if (route[0] === "audit") return html`<${Audit} state=${state} />`;
  if (route[0] === "tour") return html`<${Tour} />`;
  if (!standing.keys.length) return html`<${Welcome} state=${state} />`;
  if (!acts.isUnlocked(standing)) return html`<${Unlock} state=${state} />`;
  if (route[0] === "league" && route[1]) return html`<${League} state=${state} name=${route[1]} />`;
  return html`<${Home} state=${state} />`;
}

function Head({ state, game }) {
  const { standing, phase } = state;
  const unlocked = standing && acts.isUnlocked(standing), open = phase === "ready" && unlocked;
  const due = game?.line.deadline && deadline(game.line.deadline);
  return html`<header><a class=${game ? "mark back" : "mark"} href="#" aria-label="pbem"><span>pbem</span></a>
    ${game ? html`<span class="game"><h2>${game.tried ? words.trying.name(game.tried.game) : game.practice ? words.practice : game.line.game}</h2><small>${game.shown?.exchange ? game.shown.title.split(":")[0] : ""}</small></span>
      <span class="time">${moment(game.shown).map((said) => html`<i>${said}</i>`)}</span>
      <span class="opp">${game.shown?.exchange ? game.shown.headline[1] : ""}</span>` : html`<span class="game"></span>`}
    <nav aria-label=${words.pages}>${standing?.games.length > 0 && html`<a href="#" class="wide-only">${words.home}</a>`}${!game && html`<a href="#tour" class="wide-only">${words.tour}</a><a href="#about" class="wide-only">${words.about}</a>`}</nav>
    ${due && html`<span class="dead" title=${due[0]}>${due[1]}</span>`}
    ${unlocked && html`<${Button} act=${acts.lockNow} class="lock" aria-label=${words.lockNow} title=${words.lockNow}><${Padlock} /><//>`}
    ${open && !game?.practice && html`<${OpenMail} />`}
    <${Next} state=${state} open=${open} /></header>`;
}

// The next game that waits. Its place is taken by nothing else, so it is there while nothing waits too.
function Next({ state: { standing, leagues, route }, open }) {
  const [next, others] = nextOf(open ? waitingOf(standing.games, leagues) : [], `#${route.slice(0, 2).join("/")}`);
  const said = next ? words.nextWaits(leagueName(nameOf(next)), others) : words.nothingElseWaits;
  return html`<${Button} class="next-game" hidden=${!open} aria-disabled=${!next} aria-label=${said} title=${said}
    act=${() => { if (next) location.hash = addressOf(next); }}><span aria-hidden="true">▸</span><b>${others || ""}</b><//>`;
}

const Padlock = () => html`<svg viewBox="0 0 20 22" width="20" height="22" aria-hidden="true"><rect x="3" y="9" width="14" height="11" rx="2" fill="currentColor" /><path d="M6 9V6a4 4 0 0 1 8 0v3" fill="none" stroke="currentColor" stroke-width="2.2" /></svg>`;

// Where the battle is of which something is asked.
const battleAsked = ({ line, shown }) => acts.isOpen(line) && / in ([A-Z][a-z]+)\?/.exec(shown.questions.find((one) => one.now)?.said)?.[1];

// The picture of what the report shows, with the orders that are written, or with the step that is told.
function Picture({ state }) {
  const { game, draft, light, tab, story, advance } = state;
  const shown = game.shown;
  const lit = tab === "orders" && (!shown.idle || advance || draft?.text.trim()) ? light : [];
  return html`<${Board} svg=${(tab === "story" && story?.svg) || shown.svg} said=${shown.words} cards=${!hasAreas(shown.svg)} light=${lit} take=${acts.taken} taps=${state.taps} open=${draft?.open} pins=${pinsOf(state.privateNotes?.marks ?? [])}
    focus=${(tab === "story" ? story?.steps[state.step]?.board?.area : tab === "orders" && battleAsked(game)) || ""}
    rows=${tab !== "story" && acts.isOpen(game.line) && draft ? rows(draft.text) : []} />`;
}

// The table that was open last, to look at.
const Last = ({ table }) => html`<${Board} svg=${table.svg} said=${table.words} light=${[]} rows=${[]} pins=${pinsOf([])} taps=${0} focus="" take=${() => undefined} />`;

// Before a game is opened: what one looks like. A title is named as a link names it, or as people do.
const COVERS = { lords: /^lords/i, "first-war": /^first.war/i };
const Cover = ({ title }) => {
  const found = Object.keys(COVERS).find((name) => COVERS[name].test(title));
  return html`<div class=${`cover ${found ?? ""}`} role="img" aria-label=${found ? words.coverOfCards : words.coverText}></div>`;
};

const Notes = ({ notes }) => html`<div id="notes" role="status" aria-live="polite">${notes.map((one) => html`<div class=${one.kind} key=${one.id}>
  <div><p>${one.said}</p>${one.pre && html`<details><summary>${one.about}</summary><pre>${one.pre}</pre></details>`}</div>
  <${Button} act=${() => acts.closeNote(one.id)} said="×" aria-label=${words.close} /></div>`)}</div>`;
