// The page begins here: keeps the site for offline play, starts Python, and shows what the address names.
import { ask, Fault, Overdue, start } from "./ask.js";
import { clearNotes, el, note } from "./dom.js";
import { showAbout, showTour } from "./about.js";
import { showGame } from "./game.js";
import { showHome, showUnlock, showWelcome } from "./home.js";
import { showTrouble } from "./trouble.js";
import { words } from "./words.js";

const main = document.getElementById("main");

async function keepSite() {
  if (!("serviceWorker" in navigator)) return;
  try {
    const { installing } = await navigator.serviceWorker.register("sw.js", { type: "classic", updateViaCache: "none" });
    const failed = new Promise((done) => installing?.addEventListener("statechange", () => installing.state === "redundant" && done()));
    await Promise.race([navigator.serviceWorker.ready, failed]); // it fails where a file is missing, or there is no room
  } catch {
    // private windows and plain hosts: the page works, but only with a network
  }
}

let showing = 0;

// While a view is made, the page says so, to screen readers too: what stands there is about to go.
export async function show() {
  showing += 1;
  main.setAttribute("aria-busy", "true");
  try {
    await view();
  } finally {
    showing -= 1;
    if (!showing) main.setAttribute("aria-busy", "false");
    // Who pressed a button that is gone goes on from the top of the view, not of the page.
    if (document.activeElement === document.body) main.focus({ preventScroll: true });
  }
}

async function view() {
  try {
    const [what, name] = address();
    if (what === "about") return await showAbout(main);
    if (what === "tour") return showTour(main);
    let standing;
    try {
      standing = await ask("standing");
    } catch (fault) {
      return await showTrouble(main, fault, show); // the home itself cannot be read
    }
    if (!standing.keys.length) return showWelcome(main, show);
    if (!standing.keys.some((key) => key.unlocked)) return showUnlock(main, standing, show);
    if (what === "game" && name) return await showGame(main, name, standing, show);
    await showHome(main, standing, show);
  } catch (fault) {
    told(fault);
  }
}

// What the address asks for, behind the #; an address that nothing has written is the first view.
function address() {
  try {
    return decodeURIComponent(location.hash.slice(1)).split("/");
  } catch {
    return [""];
  }
}

// What went wrong: a fault in the words of the command line, an end to what took too long, or a bug.
export function told(fault) {
  if (fault instanceof Overdue) {
    show(); // Python has begun anew, and asks for the passphrase
    return note(words.overdue, "fault");
  }
  note(fault instanceof Fault ? fault.message : words.bug(fault.message), "fault");
}

// The first question of a tab waits while another one is at work; whoever waits is told why.
function tellHolder(held) {
  document.getElementById("holder").textContent = held ? words.otherTab : "";
}

function frame() {
  const links = [["", words.home], ["tour", words.tour], ["about", words.about]];
  document.getElementById("nav").replaceChildren(...links.map(([to, said]) => el("a", { href: `#${to}` }, said)));
}

async function begin() {
  frame();
  document.getElementById("loading").textContent = words.loading;
  await keepSite();
  try {
    await start(tellHolder);
  } catch (fault) {
    return showTrouble(main, fault);
  }
  window.addEventListener("hashchange", () => {
    clearNotes();
    show().then(() => main.focus({ preventScroll: true }));
  });
  await show();
  document.body.dataset.ready = "yes";
}

window.addEventListener("unhandledrejection", (event) => {
  told(event.reason);
  event.preventDefault();
});
begin();
