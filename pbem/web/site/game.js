// One game: what happened, what is asked, the orders, and how far they have come.
import { ask } from "./ask.js";
import { button, el, fill, paragraph } from "./dom.js";
import { composer } from "./composer.js";
import { css, deadline, handing, mailIn, saver } from "./home.js";
import { told } from "./main.js";
import { picture } from "./map.js";
import { words } from "./words.js";

export async function showGame(main, game, standing, show) {
  const line = standing.games.find((one) => one.game === game);
  if (!line) return main.replaceChildren(el("p", {}, words.noGames), mailIn(show));
  if (line.last_report === null) {
    return main.replaceChildren(el("h2", {}, game), banner(line), mailIn(show));
  }
  const shown = await ask("show", { game });
  const sealed = ["sealed", "handed over"].includes(line.state) ? await ask("last_sealed", { game }) : null;
  let desk;
  const map = shown.svg ? picture(shown.svg, shown.words, (...names) => desk?.taken(...names).catch(told)) : undefined;
  const open = ["draft", "sealed", "handed over", "receipted", "refused", "late", "another file"].includes(line.state);
  const ready = line.exchange === 1;
  if (open && !ready) desk = composer(game, shown.draft, shown.form, map);
  const rest = shown.sections.filter((one) => one.small);
  // What is to be done next stands nearest to the state: mail goes out, or comes in, or orders are written.
  const out = sealed && el("section", { id: "out" }, el("h2", {}, words.out), handing(sealed, async () => {
    await ask("handed", { game, exchange: sealed.exchange, rev: sealed.rev });
    await show();
    window.scrollTo(0, 0);
  }));
  const mail = mailIn(show);
  const mailFirst = ["handed over", "receipted", "waiting"].includes(line.state);
  const asked = shown.idle ? words.idle : shown.wanted;
  fill(main,
    el("h2", {}, `${game} `, el("small", {}, line.side)),
    banner(line),
    open && el("div", { class: "asked" }, (line.state === "draft" || !ready) && el("p", {}, ready ? words.acceptText : asked),
      line.state === "draft" && questions(shown.questions, true),
      line.deadline && el("p", { class: "deadline" }, deadline(line.deadline)),
      line.state === "draft" && el("p", {}, button(words.toOrders, toOrders)),
      line.state === "draft" && inAdvance(shown.questions)),
    line.state === "sealed" && out,
    mailFirst && mail,
    el("details", { open: true, class: "headline" }, el("summary", {}, shown.exchange ? words.report : words.invitation),
      shown.headline.map((said) => el("p", {}, said))),
    el("div", { class: "split" },
      el("div", { class: "story" }, moments(game, shown), ...shown.sections.filter((one) => !one.small).map((one, place) => section(one, place < 1))),
      // What may be written stands below the map, within reach of whoever taps on it.
      el("div", { class: "desk", id: "orders" },
        open && el("div", { class: "before" }, el("h2", {}, ready ? words.accept : words.orders), desk && el("p", {}, words.ordersHelp)),
        map && el("div", { class: "board" }, map.box),
        desk?.chips,
        el("div", { class: "work" },
          desk?.box, open && (standing.saved ? sealer(game, line, ready, desk, show) : saver(standing, show)),
          line.closed && revealer(game),
          line.state === "sealed" || out))),
    shown.receipts.length && receipts(shown.receipts),
    mailFirst || mail,
    rest.length && el("details", {}, el("summary", {}, words.otherReports), ...rest.map((one) => section(one, false))),
  );
  await ask("looked", { game, exchange: shown.exchange });
}

// The one loud state.
function banner(line) {
  const [name, said] = words.states[line.state === "draft" && line.exchange === 1 ? "invited" : line.state];
  return el("div", { class: `banner ${css(line.state)}`, role: "status" }, el("strong", {}, name), el("span", {}, ` ${said}`),
    line.forked && el("p", { class: "fault" }, words.forked),
    line.trouble && el("p", { class: "fault" }, line.trouble),
    line.files.map((said) => el("p", { class: "remark" }, said)),
    line.missing_receipts.length > 0 && el("p", { class: "fault" }, words.missing(line.missing_receipts.join(", "))));
}

const questions = (all, now) => all.filter((one) => one.now === now).map((one) => el("p", { class: "question" }, one.said));

// What may be said in advance is a tap away, unless it is all that is asked.
function inAdvance(all) {
  const now = questions(all, true).length, later = questions(all, false);
  return later.length && el("details", { open: !now }, el("summary", {}, now ? words.mayOrder : words.ofOrders), ...later);
}

// Past the story, for thumbs and for the tab key.
function toOrders() {
  const orders = document.getElementById("orders");
  orders.querySelector(".before").scrollIntoView();
  (orders.querySelector(".picture") ?? orders.querySelector("#draft, #seal, button")).focus({ preventScroll: true });
}

function moments(game, shown) {
  if (shown.reports.length < 2) return undefined;
  const box = el("div", {});
  const pick = el("select", { "aria-label": words.moment }, ...shown.reports.toReversed().map((number) =>
    el("option", { value: `${number}` }, number ? words.exchange(number) : words.invitation)));
  pick.addEventListener("change", async () => {
    const older = await ask("show", { game, exchange: Number(pick.value) });
    box.replaceChildren(...(Number(pick.value) === shown.exchange ? [] : older.sections.map((one) => section(one, false))));
  });
  return el("div", { class: "moments" }, pick, box);
}

function section(one, open) {
  const inner = one.table ? table(one.table, one.title) : one.parts.map(paragraph);
  return el("details", { open: open || one.asked }, el("summary", {}, el("h3", {}, one.title)), inner);
}

function table(given, title) {
  const row = (cells, name) => el("tr", {}, ...cells.map((cell) => el(name, {}, cell)));
  return el("div", { class: "wide", tabindex: 0, role: "group", "aria-label": title },
    el("table", {}, el("thead", {}, row(given.head, "th")), el("tbody", {}, ...given.rows.map((cells) => row(cells, "td")))));
}

// Sealing takes two deliberate acts, so that no stray touch does it.
function sealer(game, line, ready, desk, show) {
  const dialog = el("dialog", { "aria-label": words.seal });
  const seal = async () => {
    dialog.close();
    try {
      await ask("seal", { game, text: desk?.text() ?? "" });
    } catch (fault) {
      told(fault);
    }
    await show();
    const out = document.getElementById("out");
    out?.scrollIntoView();
    out?.querySelector("button")?.focus({ preventScroll: true });
  };
  const sure = () => (ready ? words.sureAccept : words.sure(desk?.text() ?? ""));
  dialog.append(el("p", {}, sure()), el("p", { class: "buttons" }, button(words.yes, seal, { class: "main" }),
    button(words.no, () => dialog.close())));
  const said = ready ? words.accept : line.state === "draft" ? words.seal : words.sealAgain;
  const open = () => {
    dialog.firstChild.textContent = sure();
    dialog.showModal();
  };
  return el("div", {}, !ready && el("p", {}, words.bareText), el("p", {}, button(said, open, { class: "main", id: "seal" })), dialog);
}

// In games where orders do not carry it, the player's part of the dice goes out after the close.
function revealer(game) {
  const box = el("div", {});
  const act = async () => {
    try {
      fill(box, handing(await ask("reveal", { game })));
    } catch (fault) {
      told(fault);
    }
  };
  return el("section", {}, button(words.reveal, act), box);
}

function receipts(found) {
  return el("details", {}, el("summary", {}, el("h2", {}, words.receipts)), ...found.toReversed().map((one) =>
    el("details", {}, el("summary", {}, words.receipt(one)), el("p", {}, el("code", {}, one.sealed)), el("pre", {}, one.words))));
}
