// More time between people: a day that is asked for, given or granted in one tap, and absences with their days that are left.
import * as acts from "./acts.js";
import { ask } from "./ask.js";
import { daysUntil } from "./deadline.js";
import { Handing } from "./mail.js";
import { Button, Component, html } from "./view.js";
import { words } from "./words.js";

const said = words.talk;
const DONE = ["sealed", "handed over", "to be sent", "sent", "receipted"]; // then a day more is the others'

export class MoreTime extends Component {
  constructor(given) {
    super(given);
    this.state = { talk: null, made: null };
  }

  componentDidMount() { this.load(); }

  componentDidUpdate({ state: before }) {
    if (before.standing !== this.props.state.standing) this.load(); // letters have come
  }

  get line() { return this.props.state.game.line; }

  async load() {
    try {
      this.setState({ talk: await ask("talk", { game: this.line.game }) });
    } catch (fault) {
      acts.told(fault);
    }
  }

  async give(time) {
    const made = await acts.giveTime(this.line, time);
    if (made) this.setState({ made });
    await this.load();
  }

  render({ state }, { talk, made }) {
    if (!talk) return null;
    const mails = made && (!acts.canSend(this.line) || acts.whyWaits(state, this.line));
    const asked = [...new Set(talk.lines.map((line) => line.grants).filter(Boolean))];
    const day = DONE.includes(this.line.state) && talk.opponents ? said.giveDay(talk.opponents) : said.moreTime;
    return html`${talk.away.map((one) => html`<p class="remark" key=${one.begins}>${said.isAway(one.begins, one.ends, daysUntil(one.begins), daysUntil(one.ends))} ${one.until_orders && said.endsWithOrders}</p>`)}
      ${talk.signed && html`<p class="remark">${said.signed(talk.signed)}</p>`}
      ${(asked.length > 0 || talk.more_time) && html`<p class="buttons time-between">
        ${asked.map((time) => html`<${Button} key=${time} act=${() => this.give(time)} said=${said.grant(time)} />`)}
        ${talk.more_time && html`<${Button} act=${() => this.give("")} said=${day} />`}</p>`}
      ${made && !mails && html`<p class="remark" role="status">${said.goes}</p>`}
      ${mails && html`<${Handing} made=${made} said=${said.outText} />`}`;
  }
}
