// Arriving, and what is not one game: keys, the home as a file, games, joining.
import * as acts from "./acts.js";
import { arrivalOf, entryOf } from "./arriving.js";
import { deadline } from "./deadline.js";
import { Answering, Copies, Waking } from "./devices.js";
import { byDue, leagueName } from "./due.js";
import { Handing, Paste } from "./mail.js";
import { TIMES, USUAL } from "./session.js";
import { Sheet, Signing } from "./signing.js";
import { Button, Field, Form, html } from "./view.js";
import { words } from "./words.js";

export function Welcome({ state: { route } }) {
  const game = ["join", "enter"].includes(route[0]) && route[1], boxes = acts.allowedBoxes();
  const needs = arrivalOf(route, [], boxes).box || entryOf(route, boxes).box ? "box" : boxes.length ? "either" : "mail";
  return html`<h1>${game ? words.invitedTo(game) : words.welcome}</h1><p class="sub">${words.welcomeText(words.needs[needs])}</p>
    ${!game && html`<${Try} />`}
    <section class="choice"><h2>${game ? words.makeKey : words.invited}</h2><p>${game ? words.invitedText : words.makeKeyText}</p>
      <${Form} said=${words.makeKey} act=${acts.makeKey} main=${true}>
        <${Field} id="name" name="name" said=${words.name} hint=${words.nameHint} required />
        <${Field} id="first" name="first" type="password" said=${words.passphrase} autocomplete="new-password" required />
        <${Field} id="second" name="second" type="password" said=${words.again} autocomplete="new-password" required /><//></section>
    ${game && html`<${Try} />`}
    <section class="choice"><h2>${words.loadHome}</h2><p>${words.loadHomeText}</p>
      <p class="field"><label for="home-file">${words.chooseHome}</label>
        <input id="home-file" type="file" accept=".zip,application/zip" onChange=${({ target }) => target.files.length && acts.loadHome(target)} /></p></section>
    <p class="links"><a href="#tour">${words.tour}</a> <a href="#about">${words.about}</a> <a href="#audit">${words.audit.title}</a></p>`;
}

// A first game, without a key and without a judge.
export const Try = () => html`<p class="try"><a class="button" href="#practice">${words.tryGame}</a> <small>${words.tryGameText}</small></p>`;

// "15 minutes", "8 hours", as the player's browser says it.
const timeOf = (minutes) => new Intl.NumberFormat(undefined, { style: "unit", unitDisplay: "long",
  ...(minutes < 60 ? { unit: "minute" } : { unit: "hour" }) }).format(minutes < 60 ? minutes : minutes / 60);

export const Unlock = ({ state: { standing, names, post } }) => html`<h1>${words.welcomeBack}</h1>
  ${post.waits > 0 && html`<p class="sub" id="waits" role="status">${words.lettersWait(post.waits)}</p>`}
  ${standing.keys.map((key) => html`<section class="choice" key=${key.name}><h2>${key.name}</h2>
    <${Form} said=${words.unlock} act=${(form) => acts.unlock(key.name, form)} main=${true}>
      <${Field} id=${`unlock-${key.name}`} name="passphrase" type="password" said=${words.passphrase} autocomplete="current-password" />
      <p class="field"><label for=${`minutes-${key.name}`}>${words.stayUnlocked}</label>
        <select id=${`minutes-${key.name}`} name="minutes" aria-describedby=${`minutes-${key.name}-hint`}>${TIMES.map((minutes) => html`<option value=${minutes} selected=${minutes === USUAL}>${timeOf(minutes)}</option>`)}</select>
        <small id=${`minutes-${key.name}-hint`}>${words.stayHint}</small></p><//>
    ${key.fingerprint && html`<details><summary>${words.proof}</summary><p><code>${key.fingerprint}</code></p></details>`}</section>`)}
  <${Remover} names=${names} />`;

export function Home({ state }) {
  const { standing, persisted, names, route, showsLast } = state;
  const join = html`<${Joiner} state=${state} />`;
  const game = (line) => html`<li key=${line.game}><span class="which"><a href=${`#game/${line.game}`}>${line.game}</a>
      ${line.title && html`<small>${words.gameWith(line.title, line.others)}</small>`}</span>
    <span>${capital(line.side)} · <strong class=${`state ${css(line.state)}`}>${words.states[line.state][0]}</strong>
      ${line.new && html`<span class="new">${words.newReport}</span>`}<${NewMessages} line=${line} />
      ${line.deadline && html`<small>${words.until(...deadline(line.deadline))}</small>`}</span></li>`;
  const league = (line) => html`<li key=${line.league}><a href=${`#league/${line.league}`}>${leagueName(line.league)}</a>
    <span>${words.league.mine} · <strong class=${line.asked ? "state draft" : "state"}>${line.trouble ? words.league.trouble : line.over ? words.states.over[0] : line.asked ? words.yourMove : words.states.waiting[0]}</strong><${NewMessages} line=${line} />
      ${line.meets.map((one) => html`<small>${words.league.meets(one)}</small>`)}
      ${line.due && html`<small>${words.until(...deadline(line.due))}</small>`}</span></li>`;
  const games = standing.games.length + state.leagues.length > 0;
  const entry = entryOf(route, acts.allowedBoxes()), entering = route[0] === "enter" && entry.fill.league;
  const linked = route[0] === "join" && route[1];
  const sign = html`<${Signing} about="" standing=${standing} signed=${state.signed} fill=${entry.fill} box=${entry.box} sends=${Boolean(entry.box)} open=${entering ? "enter" : ""} key=${route.join("/")} />`;
  return html`<h1>${linked || entering ? words.joinGame(linked || entering) : words.home}</h1>
    ${linked && join}
    ${entering && html`<p class="sub">${words.joinLink}</p>${sign}`}
    ${games ? html`<ul class="games">${byDue(standing.games, state.leagues).map((one) => (one.game ? game(one.game) : league(one.league)))}</ul>` : !linked && !entering && html`<p class="sub">${words.noGames}</p>`}
    ${!games && !linked && !entering && join}
    <${Paste} />
    ${(games || entering) && !linked && join}
    ${!entering && sign}
    <${Try} />
    <p class="links"><a href="#audit">${words.audit.title}</a></p>
    <section><h2>${words.keys}</h2>
      <ul>${standing.keys.map((key) => html`<li>${key.name} · ${key.unlocked ? words.unlocked : words.locked} <details><summary>${words.proof}</summary><code>${key.fingerprint}</code></details></li>`)}</ul>
      ${acts.allowedBoxes().length > 0 && standing.keys.filter((key) => key.unlocked).map((key) => html`<${Pocket} key=${key.name} name=${key.name} has=${state.pockets.includes(key.name)} />`)}
      ${acts.allowedBoxes().length > 0 && html`<${Copies} copy=${state.copy} keys=${standing.keys} games=${standing.games} boxes=${acts.allowedBoxes()} />`}
      <${Waking} waking=${state.waking} games=${standing.games} />
      <${Answering} lines=${state.answering.lines} said=${state.answering.said} />
      ${standing.keys.filter((key) => key.unlocked).map((key) => html`<${Sheet} name=${key.name} key=${`recovery ${key.name}`} />`)}
      <p class="field"><label><input type="checkbox" checked=${showsLast} aria-describedby="last-hint" onChange=${({ target }) => acts.showLast(target.checked)} /> ${words.showLast}</label>
        <small id="last-hint">${words.showLastHint}</small></p>
      <${Saver} state=${state} /><p class="sub">${persisted === null ? "" : persisted ? words.persisted : words.notPersisted}</p>
      <${Remover} names=${names} /></section>`;
}

const NewMessages = ({ line }) => line.unread > 0 && html` <span class="new">${words.newMessages(line.unread)}</span>`;

export const capital = (said) => said.slice(0, 1).toUpperCase() + said.slice(1);

export const css = (state) => state.replace(" ", "-");

// Whether this browser may see, while a key is locked, that letters wait for it.
const Pocket = ({ name, has }) => html`<p>${has ? words.pocketOn : words.pocketOff} <${Button} act=${() => (has ? acts.withdrawPocket : acts.offerPocket)(name)} said=${has ? words.pocketStop : words.pocketStart} /></p>`;

// The home as a file: demanded before the first seal, and after every change of keys and secrets.
export function Saver({ state: { standing, confirmSaved } }) {
  const confirm = confirmSaved && html`<p>${words.saveFirst} <${Button} act=${acts.haveHome} said=${words.haveIt} class="main" /></p>`;
  if (standing.saved) return html`<p>${standing.knows_sent ? words.saved : words.savedBefore} <${Button} act=${acts.saveHome} said=${words.save} /></p>${confirm}`;
  return html`<div class="warning"><p>${words.unsaved}</p>
    <p><${Button} act=${acts.saveHome} said=${words.save} class=${confirmSaved ? undefined : "main"} /></p>
    ${confirm}</div>`;
}

// Saving what is here, and then removing it, which needs the home's name typed.
export const Remover = ({ names }) => names && html`<details class="remover"><summary>${words.remove}</summary><p>${words.removeText}</p>
  <p><${Button} act=${acts.saveHome} said=${words.saveCopy} /></p>
  <${Form} said=${words.removeNow} act=${acts.removeHome}><${Field} id="removed" name="removed" said=${words.removeName(names.join(", "))} required /><//></details>`;

function Joiner({ state: { standing, join, route, judges } }) {
  const { game, judge, other, box } = arrivalOf(route, judges, acts.allowedBoxes());
  const key = standing.keys.find((one) => one.unlocked) ?? standing.keys[0];
  const filled = game && judge && !other; // then nothing need be written
  const which = html`<${Field} id="game" name="game" said=${words.game} defaultValue=${game} required />
      <${Field} id="judge" name="judge" said=${words.judge} hint=${words.judgeHint} defaultValue=${judge} pattern="\\s*SHA256:.+" required />`;
  return html`<details class="join" open=${!standing.games.length || Boolean(game)}><summary><h2>${words.join}</h2></summary><p class="sub">${filled ? words.joinLink : words.joinText}</p>
    ${filled && html`<p><code class="key">${judge}</code></p>`}
    ${other && html`<p class="fault">${words.otherJudge(game)} <code>${other}</code></p>`}
    <${Form} key=${route.join("/")} said=${box ? words.sendJoin : words.signJoin} act=${(form) => acts.join(key.name, form)} main=${!standing.games.length}>
      ${!filled && which}
      <details><summary>${words.more}</summary>${filled && which}
        <${Field} id="zone" name="zone" said=${words.zone} defaultValue=${Intl.DateTimeFormat().resolvedOptions().timeZone ?? ""} />
        <${Field} id="share" name="share" type="email" said=${words.address} /></details>
      <p class="field"><label><input type="checkbox" name="publish" value="yes" /> ${words.publish}</label></p><p class="sub">${words.forgets}</p><//>
    ${join && html`<${Handing} made=${join} said=${words.joinOut} sealed=${words.joinFile} />`}</details>`;
}

// Ways out where the page cannot go on: a start that fails, a home that cannot be read.
export const Trouble = ({ state: { trouble, names } }) => html`<h1>${words.trouble}</h1><p class="fault">${trouble.said}</p>
  <p>${names ? words.troubleHome : words.troubleStart}</p><p><${Button} act=${acts.reload} said=${words.tryAgain} class="main" /></p>
  <${Remover} names=${names} />`;

export const Tour = () => html`<h1>${words.tour}</h1>${words.tourText(acts.allowedBoxes().length > 0).map((said) => html`<p>${said}</p>`)}<p><a href="#">${words.home}</a></p>`;

// What the page is, and what it cannot promise. The judge signs an invitation, so whoever hosts the page cannot change
// what it is compared with.
export function About({ state: { about } }) {
  const compared = ({ game, address, sha256 }) => sha256 === about.digest ? html`<p class="fine">${words.samePage(game)}</p>`
    : html`<p class="fault">${words.otherPage(game, address)} <code>${sha256}</code></p>`;
  return html`<h1>${words.aboutTitle}</h1>${words.aboutText.map((said) => html`<p>${said}</p>`)}
    <p>${words.digest} <code>${about?.digest ?? "…"}</code></p>${about?.recommended.map(compared)}<p>${words.digestHow}</p>
    ${about?.offline && html`<p>${words.offline}</p>`}
    ${about?.offline && about.version !== about.chosen && html`<p>${words.newVersion} <${Button} act=${acts.takeVersion} said=${words.takeVersion} disabled=${about.taken} /></p>`}
    <p><a href="#">${words.home}</a></p>`;
}
