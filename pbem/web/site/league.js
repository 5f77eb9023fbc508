// One league: what is asked of its entrant, whom they meet and until when, the table, results, and the judge's letters.
import * as acts from "./acts.js";
import { ask } from "./ask.js";
import { deadline } from "./deadline.js";
import { leagueName } from "./due.js";
import { Saver } from "./home.js";
import { Signing } from "./signing.js";
import { Talk } from "./talk.js";
import { Component, html } from "./view.js";
import { words } from "./words.js";

const said = words.league;
export class League extends Component {
  constructor(given) {
    super(given);
    this.state = { league: null };
  }

  componentDidMount() { this.load(); }

  componentDidUpdate({ state: before, name }) {
    if (before.standing !== this.props.state.standing || name !== this.props.name) this.load(); // letters have come
  }

  async load() {
    try {
      const league = await ask("league", { name: this.props.name });
      this.setState({ league });
    } catch (fault) {
      acts.told(fault);
    }
  }

  render({ state, name }, { league }) {
    const line = state.leagues.find((one) => one.league === name);
    if (!league || league.league !== name) return html`<h1>${leagueName(name)}</h1><p class="sub" role="status">${line?.trouble ?? ""}</p>`;
    const sends = Boolean(line) && acts.canSend(line), why = line && acts.whyWaits(state, line);
    return html`<h1>${leagueName(name)}</h1><p class="sub">${standing(league)}</p>
      ${why && html`<p class="warning" role="status">${words.why(why)}</p>`}
      ${league.meetings.length > 0 && html`<ul class="games">${league.meetings.map((one) => html`<li key=${one.game}>
        ${state.standing.games.some((game) => game.game === one.game) ? html`<a href=${`#game/${one.game}`}>${one.game}</a>` : html`<strong>${one.game}</strong>`}
        <span>${said.against(one.opponents.join(", "))}${one.is_open ? "" : ` · ${said.notOpen}`}<small>${words.until(...deadline(one.until))}</small></span></li>`)}</ul>`}
      ${!state.standing.saved && html`<${Saver} state=${state} />`}
      <${Signing} about=${name} standing=${state.standing} signed=${state.signed} sends=${sends} />
      ${(line?.press ?? "none") !== "none" && html`<section class="press"><${Talk} state=${state} line=${line} key=${name} /></section>`}
      <${Table} league=${league} />
      ${league.letters.map((text, place) => html`<details open=${place === 0} key=${text}><summary>${place ? text.split("\n")[0] : said.newest}</summary><pre class="letter" dir="auto">${text}</pre></details>`)}`;
  }
}

// How it stands for its entrant, in a sentence.
function standing(league) {
  if (league.is_over) return said.over;
  if (league.call && !league.is_answered && league.deadline) return said.asked(league.call, deadline(league.deadline)[0]);
  if (league.call) return said.answered(league.call);
  return league.is_entered ? said.entered(league.player) : said.waits(league.player);
}

function Table({ league }) {
  const rounds = [...new Set(league.pairings.map(([round]) => round))].reverse();
  return html`${league.table.length > 0 && html`<details open><summary><h2>${said.table}</h2></summary><div class="wide" tabindex="0" role="group" aria-label=${said.table}><table>
      <thead><tr>${said.columns.map((one) => html`<th>${one}</th>`)}</tr></thead>
      <tbody>${league.table.map((row) => html`<tr key=${row.player} class=${row.player === league.player ? "mine" : undefined}><td>${row.player}${row.has_left ? ` (${said.left})` : ""}</td><td>${row.played}</td><td>${row.won}</td><td>${row.drawn}</td><td>${row.lost}</td></tr>`)}</tbody></table></div>
      <p class="fine">${said.tableText}</p></details>`}
    ${rounds.map((round, place) => html`<details open=${place === 0} key=${round}><summary>${said.round(round)}</summary><ul>${league.pairings.filter(([one]) => one === round).map(([, game, players, result]) =>
      html`<li key=${game}>${result || said.plays(players.join(", "))} <small>${game}</small></li>`)}</ul></details>`)}`;
}
