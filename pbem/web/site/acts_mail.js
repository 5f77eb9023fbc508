// Mail in and out, by files and by a post box; and one home on several devices.
import { address, refresh } from "./acts_place.js";
import { clearNotes, game, note, once, run, told } from "./acts_run.js";
import { ask, Overdue } from "./ask.js";
import * as audits from "./audits.js";
import { download, toBase64 } from "./dom.js";
import * as post from "./post.js";
import { store } from "./state.js";
import { words } from "./words.js";

const { get, set } = store;

const HASH = /SHA256:|[0-9a-f]{64}/;

// What came in a line for each game and exchange; what has remarks of its own has a line of its own. What is to be
// compared with something else stands apart.
function arrived(arrivals) {
  const lines = new Map();
  for (const one of arrivals) {
    const what = one.kind === "report" && one.exchange === 0 ? words.invitation.toLowerCase() : words.kinds[one.kind] ?? one.kind;
    const about = [one.game, one.exchange, one.new, one.remarks.length ? lines.size : ""].join("\n");
    const line = lines.get(about) ?? { ...one, kinds: [] };
    if (!line.kinds.includes(what)) line.kinds.push(what);
    lines.set(about, line);
  }
  const said = [...lines.values()].flatMap((one) =>
    [`${words.came(one.game, one.kinds.join(", "), one.exchange)}${one.new ? "" : ` (${words.known})`}`, ...one.remarks]);
  const proof = said.filter((one) => HASH.test(one));
  return [said.filter((one) => !proof.includes(one)).join("\n"), "note", ...(proof.length ? [proof.join("\n"), words.proof] : [])];
}

// Is something that came on the screen anyway? The state of a game tells of its receipts and copies, and its own page
// shows the report; a remark is told always.
const SHOWN = ["receipt", "words", "forecast", "box", "orders", "copy"];
const isSeen = (one) => !one.remarks.length &&
  (SHOWN.includes(one.kind) || (one.kind === "report" && game()?.line.game === one.game && game().shown?.exchange === one.exchange));

// What the post box has taken, or has brought. Nobody has asked for it just now, so it takes nobody elsewhere.
export async function carried({ came, said = [] }) {
  await refresh();
  for (const one of said) note(one.game ? `${one.game}: ${one.said}` : one.said);
  const fresh = came.flatMap((one) => one.arrivals).filter((one) => one.new && !isSeen(one));
  if (fresh.length) note(...arrived(fresh));
  for (const [source, fault] of came.flatMap((one) => one.faults)) note(`${source}: ${fault}`, "fault");
}

// Files, or text. Says what each was, and goes on to the game it was about.
export const receive = (given) => run(async () => {
  clearNotes();
  if (!given.length) return note(words.nothing, "fault");
  const bundle = await audits.bundleAmong(given);
  if (bundle) return void audits.begin(...bundle);
  const files = await Promise.all(given.map(async ([name, blob]) => [name, await toBase64(blob)]));
  let received;
  try {
    received = await ask("receive", { given: files });
  } catch (fault) {
    if (!(fault instanceof Overdue)) throw fault;
    told(fault);
    if (given.length > 1) return note(words.oneByOne, "fault");
    const [[name, blob]] = given;
    return note(words.unread(name), "fault", await blob.slice(0, 100_000).text());
  }
  const games = [...new Set(received.arrivals.map((one) => one.game).filter(Boolean))];
  if (games.length === 1 && address()[1] !== games[0]) history.pushState(null, "", `#${games[0].startsWith("league.") ? "league" : "game"}/${games[0]}`);
  await refresh();
  if (received.arrivals.length) note(...arrived(received.arrivals));
  for (const [source, fault] of received.faults) note(`${source}: ${fault}`, "fault");
});

export const receiveFiles = (input) => {
  const files = [...input.files].map((one) => [one.name, one]);
  input.value = ""; // the same files may be chosen again
  return receive(files);
};
export const receiveText = (text) => receive(text.trim() ? [[words.pasted, new Blob([text])]] : []);
export const receiveDrop = (dropped) => {
  const folder = [...dropped.items].map((one) => one.webkitGetAsEntry?.()).find((one) => one?.isDirectory);
  if (folder) return run(async () => void audits.begin(folder.name, await audits.filesBelow(folder)));
  const files = [...dropped.files].map((one) => [one.name, one]);
  return files.length ? receive(files) : receiveText(dropped.getData("text/plain"));
};

// Mail out. The page itself sends no mail, and never says that one was sent.

const fileOf = (made) => new File([made.text], made.file, { type: "text/plain" });
export const canShare = (made) => Boolean(navigator.canShare?.({ files: [fileOf(made)] }));
export const takeText = (made) => download(made.file, made.text, "text/plain");
export const takeMail = (made) => download(made.file.replace(/txt$/, "eml"), made.eml, "message/rfc822");
export const share = (made) => navigator.share({ files: [fileOf(made)], title: made.subject }).catch(() => {});
export const copy = async (made) => {
  try {
    await navigator.clipboard.writeText(made.text);
    note(words.copied);
  } catch {
    note(words.cannotCopy, "fault");
  }
};

// Signs and seals what is written; what was sealed goes on to the mail program, by what the device has for it.
export const seal = once(() => run(async () => {
  const { line } = game();
  const sends = canSend(line);
  if (sends && !(await isNewest(line))) return undefined;
  const made = await ask("seal", { game: line.game, text: line.exchange === 1 ? "" : get().draft.text, post: sends });
  const back = await ask("end_absence", { game: line.game, post: sends });
  await refresh();
  if (back) note(words.talk.back);
  set({ back: sends ? null : back });
  set({ tab: "orders", taps: 0 }); // what is to be mailed stands at the top: nothing draws the eye to what may be added
  if (sends) post.work();
  else if (canShare(made)) share(made);
  else takeText(made);
}));

// A deadline that somebody asks for, or ("") a day more: signed for the judge, who moves it once all have signed.
export const giveTime = (line, time) => run(async () => {
  const sends = canSend(line);
  const made = await ask("more_time", { game: line.game, time, post: sends });
  await refresh();
  if (sends) post.work();
  return made;
});

// By the post box: what was sealed last, or what waits already.
export const canSend = (line) => post.canSend(line);
export const whyWaits = post.whyOf;
export const allowedBoxes = post.allowed;
export const send = once(() => run(async () => {
  await ask("send", { game: game().line.game });
  await refresh();
  post.work();
}));
export const carry = once(() => run(() => post.work()));

export const handed = once(() => run(async () => {
  const { line, sealed } = game();
  await ask("handed", { game: line.game, exchange: sealed.exchange, rev: sealed.rev });
  await refresh();
}));

// In games where orders do not carry it, the player's part of the dice goes out after the close.
export const reveal = once(() => run(async () => {
  const { line } = game();
  const sends = canSend(line);
  if (sends && !(await isNewest(line))) return undefined;
  const revealed = await ask("reveal", { game: line.game, post: sends });
  if (sends) await post.work();
  if (!sends || post.whyOf(get(), line)) return set({ revealed });
  note(words.revealTaken);
}));

// One home on several devices, by a sealed copy in a post box. What another one has just done is looked at before anything
// is signed here.
async function isNewest(line) {
  if (!(await post.isNewest())) return note(words.homeCopy.notNewest, "fault");
  const now = game()?.line;
  if (now?.exchange === line.exchange && now.state === line.state) return true;
  return note(words.homeCopy.otherDevice, "fault");
}
export const keepCopy = (name, box) => run(async () => {
  await ask("keep_copy", { name, box });
  await post.work();
});
export const showSheet = () => run(async () => note(words.homeCopy.sheetText, "note", await ask("copy_sheet"), words.homeCopy.sheet));

export const answerByItself = (game, hours) => run(async () => {
  await ask("answer_by_itself", { game, hours });
  await post.work();
});
