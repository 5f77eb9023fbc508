// Keys, the home as a file, mail in, games.
import { ask, Overdue } from "./ask.js";
import { button, clearNotes, download, el, field, fromBase64, note, toBase64 } from "./dom.js";
import { told } from "./main.js";
import { remover, showUnread } from "./trouble.js";
import { words } from "./words.js";

// What a player types as a name: a telephone likes capitals, and blanks at the end.
const named = (input) => input.value.trim().toLowerCase();

// Firefox asks the player, who may answer later or never: nothing waits for it.
let promised;
const keepStorage = () => { promised = navigator.storage?.persist?.().catch(() => false); };

function form(said, act, ...inner) {
  const go = el("button", { type: "submit" }, said);
  const made = el("form", {}, ...inner, el("p", {}, go));
  made.addEventListener("submit", async (event) => {
    event.preventDefault();
    go.disabled = true;
    clearNotes(); // what was wrong with the last try
    try {
      await act();
    } catch (fault) {
      told(fault);
    } finally {
      go.disabled = false;
    }
  });
  return made;
}

export function showWelcome(main, show) {
  const name = field(words.name, { required: true, name: "name" }, words.nameHint);
  const first = field(words.passphrase, { type: "password", required: true, autocomplete: "new-password" });
  const second = field(words.again, { type: "password", required: true, autocomplete: "new-password" });
  const made = async () => {
    if (first.input.value !== second.input.value) return note(words.notAgain, "fault");
    await ask("make_key", { name: named(name.input), passphrase: first.input.value });
    keepStorage();
    await show();
    window.scrollTo(0, 0);
  };
  main.replaceChildren(
    el("h2", {}, words.welcome),
    el("p", {}, words.welcomeText),
    el("section", {}, el("h3", {}, words.makeKey), el("p", {}, words.makeKeyText),
      form(words.makeKey, made, name.box, first.box, second.box)),
    el("section", {}, el("h3", {}, words.loadHome), el("p", {}, words.loadHomeText), homePicker(show)),
  );
}

function homePicker(show) {
  const file = field(words.choose, { type: "file", accept: ".zip,application/zip" });
  file.input.addEventListener("change", async () => {
    try {
      await ask("load_home", { data: await toBase64(file.input.files[0]) });
      keepStorage();
      await show();
    } catch (fault) {
      file.input.value = ""; // the same file may be chosen again
      told(fault);
    }
  });
  return file.box;
}

export function showUnlock(main, standing, show) {
  const forms = standing.keys.map((key) => {
    const passphrase = field(words.passphrase, { type: "password", autocomplete: "current-password" });
    const act = async () => {
      await ask("unlock", { name: key.name, passphrase: passphrase.input.value });
      await show();
      window.scrollTo(0, 0);
    };
    return el("section", {}, el("h3", {}, key.name), el("p", {}, el("code", {}, key.fingerprint)),
      form(words.unlock, act, passphrase.box));
  });
  main.replaceChildren(el("h2", {}, words.keys), ...forms);
}

// The home as a file: demanded before the first seal, and after every change of keys and secrets.
export function saver(standing, show) {
  const confirm = el("p", { hidden: true }, `${words.saveFirst} `,
    button(words.haveIt, async () => {
      await ask("saved");
      await show();
      document.getElementById("seal")?.focus();
    }));
  const save = async () => {
    download("pbem-home.zip", fromBase64(await ask("save_home")), "application/zip");
    confirm.hidden = standing.saved && standing.knows_sent;
  };
  if (standing.saved) {
    return el("div", {}, el("p", {}, `${standing.knows_sent ? words.saved : words.savedBefore} `, button(words.save, save)), confirm);
  }
  return el("div", { class: "warning" }, el("p", {}, words.unsaved),
    el("p", {}, button(words.save, save, { class: "main" })), confirm);
}

export async function showHome(main, standing, show) {
  const games = standing.games.map((line) =>
    el("li", {}, el("a", { href: `#game/${line.game}` }, line.game), ` ${line.side} `,
      el("strong", { class: `state ${css(line.state)}` }, words.states[line.state][0]),
      line.new && el("span", { class: "new" }, words.newReport),
      line.deadline && ` ${deadline(line.deadline)}`));
  const persisted = el("p", {});
  const tell = (kept) => { persisted.textContent = kept ? words.persisted : words.notPersisted; };
  navigator.storage?.persisted?.().then(tell);
  promised?.then(tell);
  main.replaceChildren(
    el("section", {}, el("h2", {}, words.home), games.length ? el("ul", { class: "games" }, ...games) : el("p", {}, words.noGames)),
    ...(games.length ? [mailIn(show), joiner(standing)] : [joiner(standing), mailIn(show)]),
    el("section", {}, el("h2", {}, words.keys),
      el("ul", {}, ...standing.keys.map((key) => el("li", {}, `${key.name} `, el("code", {}, key.fingerprint),
        ` ${key.unlocked ? words.unlocked : words.locked}`))),
      saver(standing, show), persisted, await remover(show)),
  );
}

// What came, in a line; remarks below it.
function arrived(one) {
  const what = one.kind === "report" && one.exchange === 0 ? words.invitation.toLowerCase() : words.kinds[one.kind] ?? one.kind;
  return [`${words.came(one.game, what, one.exchange)}${one.new ? "" : ` (${words.known})`}`, ...one.remarks].join("\n");
}

// Mail in: files by choice or by drop, or text. Shows what each was, and goes on to the game it was about.
export function mailIn(show) {
  const files = field(words.choose, { type: "file", multiple: true });
  const text = el("textarea", { id: "paste", rows: 4, "aria-label": words.paste });
  const take = async (given) => {
    if (!given.length) return note(words.nothing, "fault");
    const files = await Promise.all(given.map(async ([name, blob]) => [name, await toBase64(blob)]));
    let received;
    try {
      received = await ask("receive", { given: files });
    } catch (fault) {
      if (!(fault instanceof Overdue)) throw fault;
      told(fault);
      return given.length > 1 ? note(words.oneByOne, "fault") : showUnread(...given[0]);
    }
    clearNotes();
    if (received.arrivals.length) note(received.arrivals.map(arrived).join("\n"));
    for (const [source, fault] of received.faults) note(`${source}: ${fault}`, "fault");
    const games = [...new Set(received.arrivals.map((one) => one.game).filter(Boolean))];
    const here = location.hash;
    if (games.length === 1 && here !== `#game/${games[0]}`) history.pushState(null, "", `#game/${games[0]}`);
    await show();
    window.scrollTo(0, 0);
  };
  files.input.addEventListener("change", () => take([...files.input.files].map((one) => [one.name, one])).catch(told));
  const section = el("section", { class: "mail", id: "mail" }, el("h2", {}, words.open), el("p", {}, words.openText), files.box,
    form(words.takeIn, () => take(text.value.trim() ? [[words.pasted, new Blob([text.value])]] : []),
      el("p", { class: "field" }, el("label", { for: "paste" }, words.paste), text)));
  section.addEventListener("dragover", (event) => event.preventDefault());
  section.addEventListener("drop", (event) => {
    event.preventDefault();
    const dropped = [...event.dataTransfer.files].map((one) => [one.name, one]);
    const said = event.dataTransfer.getData("text/plain");
    take(dropped.length || !said ? dropped : [[words.pasted, new Blob([said])]]).catch(told);
  });
  return section;
}

function joiner(standing) {
  const key = standing.keys.find((one) => one.unlocked) ?? standing.keys[0];
  const game = field(words.game, { required: true });
  const judge = field(words.judge, { required: true, pattern: "\\s*SHA256:.+" }, words.judgeHint);
  const zone = field(words.zone, { value: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "" });
  const address = field(words.address, { type: "email" });
  const out = el("div", {});
  const act = async () => {
    const made = await ask("join", { game: named(game.input), player: key.name, judge: judge.input.value.trim(),
      zone: zone.input.value.trim(), share: address.input.value.trim() });
    out.replaceChildren(handing(made, undefined, words.joinOut, words.joinFile));
    out.scrollIntoView({ block: "center" });
    out.querySelector("button").focus({ preventScroll: true });
  };
  return el("section", {}, el("details", { open: !standing.games.length }, el("summary", {}, el("h2", {}, words.join)),
    el("p", {}, words.joinText), form(words.signJoin, act, game.box, judge.box, zone.box, address.box), out));
}

// Something to be handed to a mail program. The page never sends, and never says that something was sent.
export function handing(made, handed, said = words.outText, sealed = words.sealedText) {
  const text = el("textarea", { readonly: true, rows: 5, class: "sealed", "aria-label": sealed }, made.text);
  const file = new File([made.text], made.file, { type: "text/plain" });
  const share = navigator.canShare?.({ files: [file] }) &&
    button(words.share, () => navigator.share({ files: [file], title: made.subject }).catch(() => {}));
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(made.text);
      note(words.copied);
    } catch {
      text.select();
      note(words.cannotCopy, "fault");
    }
  };
  return el("div", { class: "out" },
    el("p", {}, said(made.to || words.noAddress)),
    made.to && el("p", {}, el("a", { href: `mailto:${made.to}?subject=${encodeURIComponent(made.subject)}` }, words.begun)),
    made.copies.length > 0 && el("p", {}, `${words.copies}: ${made.copies.join(", ")}`),
    el("p", {}, `${words.subject}: `, el("strong", {}, made.subject)),
    el("p", { class: "buttons" },
      button(words.download, () => download(made.file, made.text, "text/plain"), { class: "main" }),
      made.eml && button(words.mail, () => download(made.file.replace(/txt$/, "eml"), made.eml, "message/rfc822")),
      button(words.copy, copy), share,
      handed && button(words.handed, handed)),
    el("details", {}, el("summary", {}, sealed), text),
    made.remarks.map((said) => el("p", { class: "remark" }, said)));
}

export const css = (state) => state.replace(" ", "-");

// A deadline in the player's own zone, and how far off it is.
export function deadline(text) {
  const when = new Date(text);
  const hours = (when - Date.now()) / 3_600_000;
  if (hours < 0) return words.past;
  const said = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "short" }).format(when);
  const far = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });
  return words.until(said, hours < 48 ? far.format(Math.round(hours), "hour") : far.format(Math.round(hours / 24), "day"));
}
