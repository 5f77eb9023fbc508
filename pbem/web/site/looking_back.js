// A whole game that is looked back at, by the viewer that a file of a game has too. It comes when somebody looks.
import { told } from "./acts.js";
import { Component, html } from "./view.js";
import { words } from "./words.js";

// `load` gives the document of a story, and what the player feared; `leave` is the link back, `lock` the padlock, and `tryOut`
// opens a try from a moment.
export class LookBack extends Component {
  constructor(given) {
    super(given);
    this.state = { shown: false, failed: false };
  }

  componentDidMount() { this.open().catch((fault) => { told(fault); this.setState({ failed: true }); }); }

  async open() {
    const { load, at, leave, lock, tryOut } = this.props;
    const [{ story, feared, notes }, { Viewer }] = await Promise.all([load(), import("./viewer.js"), this.styled()]);
    if (this.gone) return;
    this.viewer = new Viewer(this.box, JSON.parse(story), { at, leave, lock, feared, notes, tryOut });
    this.setState({ shown: true });
  }

  // The viewer's style lies over the page's own while it stands.
  styled() {
    this.style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "viewer.css" });
    const done = new Promise((loaded) => { this.style.onload = this.style.onerror = loaded; });
    document.head.append(this.style);
    return done;
  }

  componentWillUnmount() {
    this.gone = true;
    this.viewer?.close();
    this.style?.remove();
  }

  render({ leave }, { shown, failed }) {
    return html`<div class="looking" ref=${(box) => { this.box = box; }}></div>
      ${!shown && html`<main id="main" tabindex="-1" class="reading"><div class="body alone"><h1>${words.lookBack}</h1>
        <p class="sub" role="status">${failed ? "" : words.lookingBack}</p><p><a href=${leave.href}>${leave.said}</a></p></div></main>`}`;
  }
}
