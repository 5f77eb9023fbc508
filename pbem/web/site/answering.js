// Answering by itself, game by game: what it costs is said before it can be switched on.
import * as acts from "./acts.js";
import { Button, Field, Form, html } from "./view.js";
import { words } from "./words.js";

export const Answering = ({ lines, said }) => lines.map(({ game, hours, off, costs }) => {
  const told = said[game] ?? (off && words.answering.off(off));
  return html`<details key=${game} class="answering"><summary>${hours ? words.answering.on(game, hours) : words.answering.title(game)}</summary>
    <p>${words.answering.what}</p>
    <ul>${costs.map((cost) => html`<li>${cost}</li>`)}</ul>
    ${hours ? html`<p><${Button} act=${() => acts.answerByItself(game, "")} said=${words.answering.stop} /></p>`
      : html`<${Form} said=${words.answering.start} act=${({ elements }) => acts.answerByItself(game, elements.hours.value)}>
        <${Field} id=${`hours-${game}`} name="hours" said=${words.answering.hours} hint=${words.answering.hoursHint} defaultValue="18:00" required /><//>`}
    ${told && html`<p role="status">${told}</p>`}</details>`;
});
