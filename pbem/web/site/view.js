// Views are pure functions of the state, written with htm and drawn by preact: the site's only copy of both.
import { Component, h, render } from "./lib/preact/dist/preact.module.js";
import htm from "./lib/htm/dist/htm.module.js";

export const html = htm.bind(h);
export { Component, render };

export const Button = ({ act, said, children, ...given }) =>
  html`<button type="button" onClick=${act} ...${given}>${said ?? children}</button>`;

// A telephone would write a capital, and correct what is no word.
export function Field({ id, said, hint, ...given }) {
  return html`<p class="field"><label for=${id}>${said}</label>
    <input id=${id} autocomplete="off" autocapitalize="off" autocorrect="off" spellcheck=${false}
      aria-describedby=${hint ? `${id}-hint` : undefined} ...${given} />
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}</p>`;
}

export function Form({ said, act, main = false, children }) {
  const submitted = (event) => {
    event.preventDefault();
    act(event.currentTarget);
  };
  return html`<form onSubmit=${submitted}>${children}<p><button type="submit" class=${main ? "main" : undefined}>${said}</button></p></form>`;
}

// A paragraph of what Python says, set in as far as it is there.
export const Paragraph = ({ part }) => {
  const classes = [part.indent > 3 ? "in deeper" : part.indent ? "in" : "", part.apart ? "apart" : ""].filter(Boolean);
  return html`<p class=${classes.join(" ") || undefined}>${part.said}</p>`;
};
