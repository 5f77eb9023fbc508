// What the page is, and what it cannot promise; the tour.
import { button, el } from "./dom.js";
import { words } from "./words.js";

export async function showAbout(main) {
  const digest = el("code", {}, "…");
  main.replaceChildren(
    el("h2", {}, words.aboutTitle),
    ...words.aboutText.map((said) => el("p", {}, said)),
    el("p", {}, `${words.digest} `, digest),
    el("p", {}, words.digestHow),
  );
  const sums = await (await fetch("SHA256SUMS")).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", sums));
  digest.textContent = [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
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
