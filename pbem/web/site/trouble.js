// Ways out where the page cannot go on: a start that fails, a home that cannot be read, a letter that takes too long.
import { ask } from "./ask.js";
import { button, download, el, field, fromBase64, note } from "./dom.js";
import { words } from "./words.js";

// `show` is given where Python runs, so that the home can at least be saved or removed.
export async function showTrouble(main, fault, show) {
  const way = show && (await remover(show).catch(() => undefined)); // not where the storage itself is broken
  const again = button(words.tryAgain, () => location.reload(), { class: "main" });
  main.replaceChildren(el("h2", {}, words.trouble), el("p", { class: "fault" }, fault.message || words.overdue),
    el("p", {}, way ? words.troubleHome : words.troubleStart), el("p", {}, again), ...(way ? [way] : []));
}

// Saving what is here, and then removing it, which needs the home's name typed.
export async function remover(show) {
  const names = await ask("names");
  const name = field(words.removeName(names.join(", ")), { required: true, name: "removed" });
  const save = button(words.save, async () =>
    download("pbem-home.zip", fromBase64(await ask("save_home")), "application/zip"));
  const remove = el("form", {}, name.box, el("p", {}, el("button", { type: "submit" }, words.remove)));
  remove.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await ask("remove_home", { name: name.input.value.trim() });
      location.hash = "";
      await show();
    } catch (fault) {
      note(fault.message, "fault");
    }
  });
  return el("details", { class: "remover" }, el("summary", {}, words.remove), el("p", {}, words.removeText), el("p", {}, save), remove);
}

// A letter that Python could not read in time, as it came.
export async function showUnread(name, blob) {
  const box = el("details", {}, el("summary", {}, words.unread(name)), el("pre", {}, await blob.slice(0, 100_000).text()));
  document.getElementById("notes").append(el("div", { class: "fault" }, box));
}
