// The box in which a reader looks for a place, a block or a word: from step to step of the track that is shown.
import { button, h } from "./elements.js";
import { placesOf } from "./moments.js";

const words = {
  find: "Find a place, name or word", none: "none", found: (all) => (all === 1 ? "1 step" : `${all} steps`), at: (number, all) => `${number} of ${all}`,
  back: "The step before that names it", on: "The next step that names it",
};

// `go` goes to a step; `changed` is called when something else is looked for.
export class Search {
  constructor(go, changed) {
    Object.assign(this, { go, changed });
    this.places = [];
    this.place = 0;
    this.field = h("input", { type: "search", placeholder: words.find, "aria-label": words.find, autocomplete: "off", spellcheck: "false", oninput: () => this.look(), onkeydown: (event) => this.key(event) });
    this.count = h("output");
    this.back = button(words.back, () => this.next(-1), "‹");
    this.on = button(words.on, () => this.next(1), "›");
    this.element = h("div", { class: "search", role: "search" }, this.field, this.count, this.back, this.on);
  }

  show(track) {
    this.track = track;
    this.places = placesOf(track, this.field.value);
  }

  look() {
    this.show(this.track);
    this.at(this.place);
    this.changed();
  }

  at(place) {
    this.place = place;
    const all = this.places.length, number = this.places.indexOf(place) + 1, asks = this.field.value.trim() !== "";
    this.count.textContent = !asks ? "" : !all ? words.none : number ? words.at(number, all) : words.found(all);
    this.back.hidden = this.on.hidden = !asks;
    this.back.disabled = this.on.disabled = !all;
  }

  has(place) { return this.places.includes(place); }

  // After the last one comes the first, and before the first the last.
  next(by) {
    const { places, place } = this;
    const found = by > 0 ? places.find((one) => one > place) ?? places[0] : places.findLast((one) => one < place) ?? places.at(-1);
    if (found !== undefined) this.go(found);
  }

  focus() { this.field.select(); }

  key(event) {
    if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") { this.field.value = ""; this.look(); this.field.blur(); } else return;
    event.preventDefault();
  }
}
