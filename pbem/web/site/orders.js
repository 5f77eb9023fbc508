// Orders: cards to choose from, rows or text of one draft, what may follow, and what will come of it.
import * as acts from "./acts.js";
import { asked, face, inShort, isSeveral, letters } from "./cards.js";
import { isMore, laterOf, tailOf, unfinished } from "./chips.js";
import { rows, sibling } from "./draft.js";
import { namesIn } from "./geometry.js";
import { Button, Component, Paragraph, html } from "./view.js";
import { words } from "./words.js";

const MAX_CHIPS = 150;

export function Orders({ state }) {
  const { shown } = state.game;
  const closed = shown.idle && !state.advance && !state.draft.text.trim();
  return html`<div class="composer" id="orders">
    ${closed ? html`${state.game.line.state === "draft" && html`<p class="sub">${words.idle}</p>`}<p class="buttons"><${Button} act=${acts.orderAhead} said=${words.orderAhead} class="chip" /></p>`
      : html`<${Questions} state=${state} />
        <${Rows} state=${state} />
        <${Chips} state=${state} />
        <${Found} state=${state} />`}
    <${InAdvance} questions=${shown.questions.filter((one) => !one.now && !(asked(shown.questions).includes(one) && acts.cardsOf(state, one).length))} all=${shown.questions} />
    ${shown.form && html`<details><summary>${words.form}</summary><pre>${shown.form}</pre></details>`}
  </div>`;
}

// What is asked, with its answers as cards where they are few; what else is said of it is a tap away then.
function Questions({ state }) {
  const { questions } = state.game.shown;
  const all = asked(questions), alone = all.length === 1, now = all.some((one) => one.now);
  return all.map((question, place) => {
    const [short, more] = inShort(question.said), cards = acts.cardsOf(state, question);
    if (!cards.length) return now && html`<section class="question" key=${place}><p>${words.plain(alone ? more : question.said)}</p></section>`;
    const hand = html`<${Hand} state=${state} question=${question} cards=${cards} />`;
    if (!now) return html`<details class="question" key=${place} open=${!place}><summary>${short}</summary>${hand}</details>`;
    return html`<section class="question" key=${place}>${!alone && html`<p>${short}</p>`}${hand}
      ${more && html`<details class="quiet"><summary>${words.more}</summary><p>${words.plain(more)}</p></details>`}</section>`;
  });
}

// A card is called as its line; what its game says besides describes it, and is drawn by the styles.
function Hand({ state, question, cards }) {
  const taken = rows(state.draft.text).map((row) => row.said);
  const card = (offer) => {
    const picked = taken.some((said) => said === offer.line || said.startsWith(`${offer.line} `));
    const known = state.game.shown.cards[offer.line], copies = known?.copies ?? 1;
    const [verb, about, added] = face(offer, known);
    const more = [known?.about, known?.added && `${known.added}.`, copies > 1 && words.alike(copies)].filter(Boolean);
    return html`<button type="button" key=${offer.line} class=${`card ${letters(about)}${copies > 1 ? " alike" : ""}`} aria-pressed=${picked}
      aria-label=${offer.line} aria-description=${more.join(" ") || undefined} onClick=${() => acts.choose(offer, question.verbs, isSeveral(question.said))}><small>${verb}</small> ${known?.about ? html`<b data-said=${about}></b>` : html`<b>${about}</b>`}${known?.added ? html`<small data-said=${added}></small>` : html`<small>${added}</small>`}${copies > 1 && html`<i data-said=${`×${copies}`}></i>`}</button>`;
  };
  return html`<div class="hand">${cards.map(card)}</div>`;
}

function Rows({ state }) {
  const { draft, asText, study, game } = state;
  const found = rows(draft.text);
  const head = html`<h2 key="head">${words.orders}<small class="switch">
    <${Button} act=${acts.undo} said=${words.undo} disabled=${!draft.past.length} />
    <${Button} act=${acts.redo} said=${words.redo} disabled=${!draft.future.length} />
    <${Button} act=${() => acts.showText(!asText)} said=${asText ? words.asRows : words.asText} aria-pressed=${asText} /></small></h2>`;
  const caret = (area) => area.value.slice(0, area.selectionStart).split("\n").length - 1;
  if (asText) {
    return html`${head}<textarea id="draft" rows="8" spellcheck=${false} autocapitalize="off" aria-describedby="faults" aria-label=${words.orders}
      value=${draft.text} onInput=${({ target }) => acts.typed(target.value, caret(target))}
      onClick=${({ target }) => acts.goToLine(caret(target))}
      onKeyUp=${({ target, key }) => key.startsWith("Arrow") && acts.goToLine(caret(target))}></textarea>`;
  }
  const faulty = new Map((study?.faults ?? []).map((one) => [one.line - 1, one])), begun = unfinished(state);
  const names = new Set([...game.shown.names, ...state.light.map((offer) => offer.name)].filter(Boolean));
  const row = (one) => html`<li key=${one.at} class=${`order${one.heading || /^if\b/.test(one.said) ? " if" : ""}${one.at === draft.at ? " now" : ""}${one.depth ? " in" : ""}`}
      data-line=${one.said}>
    <span class="n">${one.number}</span>
    <button type="button" class="said" aria-current=${one.at === draft.at ? "step" : undefined} onClick=${() => acts.goToLine(one.at)}>${bold(one.said, names)}${words.heading(one.said) && html` <small>${words.heading(one.said)}</small>`}
      ${begun.includes(faulty.get(one.at)) ? " …" : faulty.has(one.at) && html`<small class=${faulty.get(one.at).remark ? "remark" : "fault"}>${faulty.get(one.at).remark ? "!" : "✗"} ${why(faulty.get(one.at))}</small>`}</button>
    <span class="tools">
      ${sibling(found, one, -1) && html`<button type="button" aria-label=${words.earlier(one.number)} onClick=${() => acts.moveRow(one.at, -1)}>↑</button>`}
      ${sibling(found, one, 1) && html`<button type="button" aria-label=${words.later(one.number)} onClick=${() => acts.moveRow(one.at, 1)}>↓</button>`}
      <button type="button" aria-label=${words.removeRow(one.number)} onClick=${() => acts.removeRow(one.at)}>✕</button>
    </span></li>`;
  return html`${head}${found.length ? html`<ol class="rows">${found.map(row)}</ol>` : html`<p class="sub">${words.ordersHelp}</p>`}`;
}

// What is wrong with a line, without its number and the line itself.
const why = ({ said }) => said.split("\n")[0].replace(/^line \d+(, a remark)?: /, "");

function bold(said, names) {
  const made = [];
  let rest = said;
  for (const name of namesIn(said, names)) {
    const place = rest.indexOf(name);
    if (place < 0) continue;
    made.push(rest.slice(0, place), html`<b>${name}</b>`);
    rest = rest.slice(place + name.length);
  }
  return [...made, rest];
}

// How the line at hand can go on.
class Chips extends Component {
  constructor() {
    super();
    this.hold = (chips) => { this.chips = chips; };
  }

  // While one taps on the picture, and where an order is not complete, what may be done is in sight.
  componentDidUpdate(before) {
    const { taps, offers, study, asText } = this.props.state;
    const same = before.state.taps === taps && before.state.offers === offers && before.state.study === study;
    if ((taps || unfinished(this.props.state).length) && !asText && !same) this.chips?.scrollIntoView({ block: "nearest" });
  }

  render({ state }) {
    const { offers, draft, game } = state;
    const hand = asked(game.shown.questions).flatMap((one) => acts.cardsOf(state, one));
    const cards = new Set(hand.map((offer) => offer.line)), verbs = new Set(hand.map((offer) => `${offer.verb} `));
    const chip = (offer) => {
      const line = (offer.said ?? offer.line.split("\n")[0]).trim(), means = words.heading(line);
      return html`<button type="button" class="chip" key=${offer.said ?? offer.line} data-line=${line} aria-label=${means ?? line}
        onClick=${() => acts.take(offer)}>${means ?? words.going(...tailOf(offer, offers.line))}</button>`;
    };
    const found = offers.found.filter((offer) => !cards.has(offer.line) && !(offers.sorted && verbs.has(offer.line))).slice(0, MAX_CHIPS);
    const more = found.filter((offer) => isMore(offer, offers.line));
    const [later, first] = offers.sorted ? laterOf(found, game.shown.questions) : [[], found.filter((offer) => !more.includes(offer))];
    const title = offers.line && !found.length ? words.nextByCard(offers.line) : offers.title;
    return html`<div class="chips" ref=${this.hold} role="group" aria-label=${title}><p>${title}</p>
      ${offers.line && html`<${Button} act=${acts.newLine} said=${words.newLine} class="chip another" />`}
      ${first.map(chip)}
      ${more.length > 0 && html`${first.length > 0 && html`<p>${words.addTo}</p>`}${more.map(chip)}`}
      ${draft.text && html`<${Button} act=${acts.clear} said=${words.clear} class="chip quiet" />`}</div>
      ${later.length > 0 && html`<details class="later"><summary>${words.forLater}</summary>
        ${later.map(([question, all]) => html`<div class="chips" role="group" aria-label=${inShort(question)[0]} key=${question}><p>${inShort(question)[0]}</p>${all.map(chip)}</div>`)}</details>`}`;
  }
}

// What is wrong with the draft, how the judge will read it, and what will come of it.
function Found({ state }) {
  const { study, forecast } = state, begun = unfinished(state);
  return html`<ul id="faults" aria-live="polite">${(study?.faults ?? []).filter((one) => !begun.includes(one)).map((one) => html`<li class=${one.remark ? "remark" : "fault"}>${one.said}</li>`)}
      ${study && !study.faults.length && html`<li class="fine">${words.noFault}</li>`}</ul>
    ${study?.understood.length > 0 && html`<details><summary>${words.understood}</summary><pre>${study.understood.join("\n")}</pre></details>`}
    <p class="buttons"><${Button} act=${acts.foretell} said=${words.forecast} class="chip" /></p>
    <div class="forecast" aria-live="polite">${forecast === "busy" ? html`<p>${words.forecasting}</p>`
      : forecast && html`<h2>${words.forecast}<small>${words.fromSight}</small></h2>
        <div class="foretold">${forecast.length ? forecast.map((part) => html`<${Odds} part=${part} />`) : html`<p>${words.nothingForetold}</p>`}</div>`}</div>`;
}

// A chance is a bar beside what it is about.
function Odds({ part }) {
  const found = /^(.*?)[:·]?\s+(\d{1,3})\s?%\s*(.*)$/.exec(part.said);
  if (!found || (part.said.match(/%/g) ?? []).length > 1) return html`<${Paragraph} part=${part} />`;
  return html`<p class="odds in"><span>${found[1]} ${found[3]}</span><meter min="0" max="100" value=${found[2]}></meter><b>${found[2]} %</b></p>`;
}

// What may be said in advance is a tap away, unless it is all that is asked.
function InAdvance({ questions: later, all }) {
  const alone = !all.some((one) => one.now);
  return later.length > 0 && html`<details open=${alone && later.length < 4}><summary>${alone ? words.ofOrders : words.mayOrder}</summary>
    ${later.map((one) => html`<p class="question">${one.said}</p>`)}</details>`;
}
