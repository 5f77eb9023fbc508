// The file of a game: the document that stands in it fills the whole page.
import { Viewer } from "./viewer.js";

window.viewer = new Viewer(document.getElementById("page"), JSON.parse(document.getElementById("story").textContent));
