// Press of a game or league (its `line`): what players write to each other. All that somebody has written is drawn as text.
import * as acts from "./acts.js";
import { ask } from "./ask.js";
import { Handing } from "./mail.js";
import { MoreTime } from "./more_time.js";
import { Button, Component, Field, Form, html } from "./view.js";
import { words } from "./words.js";

const said = words.talk;

export class Talk extends Component {
  constructor(given) {
    super(given);
    this.state = { talk: null, made: null, report: 0 };
    this.load = this.load.bind(this);
    this.read = this.read.bind(this);
    this.lines = [];
    this.fresh = new Set(); // the numbers of messages that were new when they were shown here
  }

  componentDidMount() {
    document.addEventListener("visibilitychange", this.read);
    this.load();
  }

  componentWillUnmount() { document.removeEventListener("visibilitychange", this.read); }

  componentDidUpdate({ state: before }) {
    if (before.standing !== this.props.state.standing) this.load(); // letters have come
  }

  get game() { return this.props.line.game ?? this.props.line.league; }

  async load() {
    await this.asked("talk", {}, (talk) => this.take(talk));
    await this.read();
  }

  take(talk) {
    this.lines = talk.lines;
    return { talk };
  }

  // What is shown is read, unless nobody looks at the page.
  async read() {
    const numbers = this.lines.filter((line) => line.is_new && !this.fresh.has(line.number)).map((line) => line.number);
    if (!numbers.length || document.visibilityState !== "visible") return;
    numbers.forEach((one) => this.fresh.add(one));
    try {
      await ask("talk_seen", { game: this.game, numbers });
      await acts.refresh();
    } catch (fault) {
      acts.told(fault);
    }
  }

  async asked(call, given, change) {
    try {
      const found = await ask(call, { game: this.game, ...given });
      this.setState(change(found));
      return true;
    } catch (fault) {
      acts.told(fault);
      return false;
    }
  }

  async mute(name, muted) {
    await this.asked("mute", { name, muted }, (talk) => this.take(talk));
    await this.read();
  }

  async write(form) {
    const to = [...form.querySelectorAll("[name=to]:checked")].map((one) => one.value);
    const { report } = this.state;
    const post = this.sends;
    const given = { to, post, text: form.elements.text.value, subject: form.elements.subject.value,
      grey: Boolean(form.elements.grey?.checked), report };
    if (await this.asked("write_message", given, (made) => ({ made, report: 0 }))) {
      form.reset();
      await this.gone(post);
    }
  }

  // By the box what was signed goes by itself; else it is to be mailed.
  get sends() { return acts.canSend(this.props.line); }

  async gone(post) {
    await this.load();
    if (post) await acts.carry();
  }

  async give(time) {
    const made = await acts.giveTime(this.props.state.game.line, time);
    if (made) this.setState({ made });
    await this.load();
  }

  async away(form) {
    const post = this.sends, { begins, ends, orders } = form.elements;
    if (await this.asked("away", { begins: begins.value, ends: ends.value, until_orders: orders.checked, post }, (made) => ({ made }))) await this.gone(post);
  }

  render({ state, line: place }, { talk, made, report }) {
    const mails = made && (!this.sends || acts.whyWaits(state, place));
    const title = place.game ? html`<h1>${said.title}</h1>` : html`<h2>${said.title}</h2>`;
    if (!talk) return title;
    return html`${title}<p class="sub">${talk.meaning}</p>
      ${talk.closed && html`<p class="remark">${said.closed(talk.closed)}</p>`}
      <ol class="talk">${talk.lines.map((line) => html`<li key=${`${line.number}-${line.at}`} class=${line.own ? "mine" : undefined}>
        <p class="sub"><strong dir="auto">${line.writer}</strong> ${said.to} ${line.to.join(", ")} · <time>${line.at}</time>${(line.is_new || this.fresh.has(line.number)) && html` <span class="new">${said.isNew}</span>`}</p>
        ${line.muted ? html`<p class="remark">${said.muted}</p>` : html`${line.subject && html`<h3 dir="auto">${line.subject}</h3>`}
          <p class="said" dir="auto">${line.text}</p>
          ${line.leads.map(([link, host]) => html`<p class="warning">${said.leads(link, host)}</p>`)}`}
        ${line.remarks.map((one) => html`<p class="remark">${one}</p>`)}
        ${line.mute && html`<p class="buttons"><${Button} act=${() => this.mute(line.mute, !line.muted)} said=${line.muted ? said.unmute : said.mute} />
          ${line.number > 0 && html`<${Button} act=${() => this.setState({ report: line.number })} said=${said.report} />`}</p>`}</li>`)}</ol>
      ${talk.lines.length === 0 && html`<p>${said.nothing}</p>`}
      <${MoreTime} line=${place} talk=${talk} give=${(time) => this.give(time)} />
      ${place.game && html`<details><summary>${said.away}</summary><p class="sub">${said.awayText} ${said.daysLeft(talk.absence_days)}</p>
        <${Form} said=${said.signAway} act=${(form) => this.away(form)}>
          <${Field} id="away-from" name="begins" type="date" said=${said.from} required />
          <${Field} id="away-until" name="ends" type="date" said=${said.until} required />
          <p class="field"><label><input type="checkbox" name="orders" /> ${said.untilOrders}</label></p><//></details>`}
      ${made && !mails && html`<p class="remark" role="status">${said.goes}</p>`}
      ${mails && html`<${Handing} made=${made} said=${said.outText} />`}
      ${talk.readers.length > 0 && html`<section><h2>${report ? said.reporting(report) : said.write}</h2>
        ${talk.first_word && html`<p class="warning">${talk.first_word}</p>`}
        <${Form} said=${this.sends ? said.send : said.seal} act=${(form) => this.write(form)}>
          ${!report && html`<fieldset><legend>${said.to}</legend>${talk.readers.map(([name, shown]) => html`<label key=${name}>
            <input type="checkbox" name="to" value=${name} /> ${shown}</label> `)}</fieldset>`}
          <${Field} id="talk-subject" name="subject" said=${said.subject} maxlength="200" />
          <p class="field"><label for="talk-text">${said.text}</label>
            <textarea id="talk-text" name="text" rows="5" maxlength=${talk.largest} required></textarea></p>
          ${talk.may_grey && !report && html`<p><label><input type="checkbox" name="grey" /> ${said.grey}</label></p>`}<//>
        ${report > 0 && html`<${Button} act=${() => this.setState({ report: 0 })} said=${said.noReport} />`}</section>`}`;
  }
}
