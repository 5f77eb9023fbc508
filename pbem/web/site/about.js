// What the page is, and what it cannot promise; the tour.
import { ask } from "./ask.js";
import { button, el } from "./dom.js";
import { words } from "./words.js";

export async function showAbout(main) {
  const digest = el("code", {}, "…"), compared = el("div", {});
  main.replaceChildren(
    el("h2", {}, words.aboutTitle),
    ...words.aboutText.map((said) => el("p", {}, said)),
    el("p", {}, `${words.digest} `, digest),
    compared,
    el("p", {}, words.digestHow),
  );
  const sums = await (await fetch("SHA256SUMS")).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", sums));
  digest.textContent = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  compared.replaceChildren(...(await ask("recommended")).map((one) => compare(one, digest.textContent)));
  const waiting = (await navigator.serviceWorker?.getRegistration())?.active;
  if (!waiting) return;
  main.append(el("p", {}, words.offline));
  const { version, chosen } = await message(waiting, "version");
  if (version !== chosen) {
    const take = button(words.takeVersion, async () => {
      await message(waiting, "take");
      take.disabled = true;
    });
    main.append(el("p", {}, `${words.newVersion} `, take));
  }
}

// The judge signs an invitation, so whoever hosts the page cannot change what it is compared with.
function compare({ game, address, sha256 }, own) {
  if (sha256 === own) return el("p", { class: "fine" }, words.samePage(game));
  return el("p", { class: "fault" }, words.otherPage(game, address), " ", el("code", {}, sha256));
}

export function showTour(main) {
  main.replaceChildren(el("h2", {}, words.tour), ...words.tourText.map((said) => el("p", {}, said)));
}

function message(worker, said) {
  return new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }) => done(data);
    worker.postMessage(said, [channel.port2]);
  });
}
