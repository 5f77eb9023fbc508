// All that a player can sign besides orders. One renderer draws every form from the fields that Python gives.
import * as acts from "./acts.js";
import { ask } from "./ask.js";
import { Handing } from "./mail.js";
import { Button, Component, Field, Form, html } from "./view.js";
import { words } from "./words.js";

const said = words.signing;
const input = (type, more = {}) => ({ id, one, value }) =>
  html`<${Field} id=${id} name=${one.name} said=${one.words} hint=${one.hint} type=${type} required=${one.needed} defaultValue=${value} ...${more} />`;
const choice = (options) => ({ id, one }) => html`<p class="field"><label for=${id}>${one.words}</label>
  <select id=${id} name=${one.name} required=${one.needed}>${options(one).map(([value, shown]) => html`<option value=${value}>${shown}</option>`)}</select></p>`;

// How each kind of field is filled in.
const INPUTS = {
  line: input("text"),
  number: input("number", { min: 0, step: 1, inputmode: "numeric" }),
  day: input("date"),
  hours: input("text"),
  zone: ({ id, one, value }) => html`<${Field} id=${id} name=${one.name} said=${one.words} hint=${one.hint} required=${one.needed} defaultValue=${value} placeholder=${Intl.DateTimeFormat().resolvedOptions().timeZone} />`,
  address: input("email"),
  yes: ({ id, one }) => html`<p class="field"><label><input id=${id} type="checkbox" name=${one.name} value="yes" required=${one.needed} /> ${one.words}</label></p>`,
  wish: choice(() => [["", said.asItIs], ["yes", said.yes], ["no", said.no]]),
  pace: choice(() => [["", said.asItIs], ...Object.entries(said.paces)]),
  player: (given) => (given.one.choices.length ? choice(({ choices }) => choices.map((name) => [name, name])) : input("text"))(given),
  key: input("text"),
  secret: input("password", { autocomplete: "new-password" }),
  lines: ({ id, one }) => html`<p class="field"><label for=${id}>${one.words}</label><textarea id=${id} name=${one.name} rows="4" required=${one.needed}></textarea></p>`,
};

// What was filled in, by the names of the fields; what a tick stands beside is "yes".
export const filledIn = (form) => Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));

// The forms about a game, a league, or ("") a league that is not here. `fill`: what a link fills in; `box`: the box of a
// link; `sends`: goes it out by a box; `signed`: what was signed last; `open`: the form that is open from the start.
export class Signing extends Component {
  constructor(given) {
    super(given);
    this.state = { forms: [], unfolded: [given.open] };
  }

  componentDidMount() { this.load(); }

  componentDidUpdate({ standing, about }) {
    if (standing !== this.props.standing || about !== this.props.about) this.load(); // letters have come
  }

  async load() {
    try {
      const forms = await ask("forms", { about: this.props.about });
      this.setState({ forms });
    } catch (fault) {
      acts.told(fault);
    }
  }

  async sign(name, form) {
    const { about, box = "" } = this.props;
    if (await acts.sign(name, about, filledIn(form), box)) form.reset();
  }

  // A form is drawn once its fold is opened, and stays: what was filled in stays with it.
  unfold(name) {
    this.setState(({ unfolded }) => ({ unfolded: [...unfolded, name] }));
  }

  render({ about, fill = {}, sends, signed, open = "" }, { forms, unfolded }) {
    const made = signed?.about === about ? signed : null;
    const form = (one) => html`<p>${one.leads}</p><${Form} said=${said.sign(one.title)} act=${(filled) => this.sign(one.name, filled)} main=${one.due}>
      ${one.fields.map((field) => html`<${INPUTS[field.kind] ?? INPUTS.line} id=${`sign-${one.name}-${field.name}`} one=${field} value=${fill[field.name] ?? ""} key=${field.name} />`)}<//>`;
    const due = forms.filter((one) => one.due), rest = forms.filter((one) => !one.due);
    return html`${made && html`<${Out} made=${made} sends=${sends} />`}${due.map((one) => html`<section class="choice due" key=${one.name}><h2>${one.title}</h2>${form(one)}</section>`)}
      <details class="signing" open=${Boolean(open)}><summary><h2>${about ? said.more : said.league}</h2></summary>
        ${rest.map((one) => html`<details key=${one.name} open=${one.name === open} onToggle=${({ target }) => target.open && this.unfold(one.name)}>
          <summary>${one.title}</summary><p class="sub">${one.offered}</p>${unfolded.includes(one.name) && form(one)}</details>`)}</details>`;
  }
}

// What was signed: by the box it goes out by itself, else it is handed to a mail program.
const Out = ({ made, sends }) => (sends
  ? html`<div role="status"><p>${said.goes}</p>${made.remarks.map((one) => html`<p class="remark">${one}</p>`)}
    <details><summary>${said.orByMail}</summary><${Handing} made=${made} said=${said.outText} sealed=${said.text} /></details></div>`
  : html`<${Handing} made=${made} said=${said.outText} sealed=${said.text} />`);

// What is printed and never kept: the reveals of a game, or the recovery key of a key.
export class Sheet extends Component {
  constructor(given) {
    super(given);
    this.state = { lines: null };
  }

  async show() {
    const { game, name } = this.props;
    const lines = game ? await acts.sheet(game) : await acts.recoveryKey(name);
    if (lines) this.setState({ lines });
  }

  render({ game }, { lines }) {
    return html`<details class="recovery"><summary>${game ? said.sheet : said.recovery}</summary><p>${game ? said.sheetText : said.recoveryText}</p>
      ${lines ? html`<pre class="sheet" dir="ltr">${lines.join("\n")}</pre><p><${Button} act=${() => window.print()} said=${said.print} /></p>`
        : html`<p><${Button} act=${() => this.show()} said=${game ? said.showSheet : said.makeRecovery} /></p>`}</details>`;
  }
}
