// More time between people: a day that is asked for, given or granted in one tap, and absences with their days that are left.
import * as acts from "./acts.js";
import { ask } from "./ask.js";
import { daysUntil } from "./deadline.js";
import { Handing } from "./mail.js";
import { Button, Component, html } from "./view.js";
import { words } from "./words.js";

const said = words.talk;
const DONE = ["sealed", "handed over", "to be sent", "sent", "receipted"]; // then a day more is the others'

// What has been signed about time, and what can be signed in one tap; `give` signs a deadline, or ("") a day more.
export function MoreTime({ line, talk, give }) {
  const asked = [...new Set(talk.lines.map((one) => one.grants).filter(Boolean))];
  const day = DONE.includes(line.state) && talk.opponents ? said.giveDay(talk.opponents) : said.moreTime;
  return html`${talk.away.map((one) => html`<p class="remark" key=${one.begins}>${said.isAway(one.begins, one.ends, daysUntil(one.begins), daysUntil(one.ends))} ${one.until_orders && said.endsWithOrders}</p>`)}
    ${talk.signed && html`<p class="remark">${said.signed(talk.signed)}</p>`}
    ${(asked.length > 0 || talk.more_time) && html`<p class="buttons">
      ${asked.map((time) => html`<${Button} key=${time} act=${() => give(time)} said=${said.grant(time)} />`)}
      ${talk.more_time && html`<${Button} act=${() => give("")} said=${day} />`}</p>`}`;
}

// The same beside the orders, where nothing else of talk is shown.
export class TimeBetween extends Component {
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
    const mails = !acts.canSend(this.line) || acts.whyWaits(state, this.line);
    return html`${talk && html`<${MoreTime} line=${this.line} talk=${talk} give=${(time) => this.give(time)} />`}
      ${made && (mails ? html`<${Handing} id="time" made=${made} said=${said.outText} />` : html`<p class="remark" role="status">${said.goes}</p>`)}`;
  }
}
