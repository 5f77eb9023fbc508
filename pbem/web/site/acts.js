// Everything that the page does: an act asks Python, and puts what came of it into the store.
export * from "./acts_run.js";
export * from "./acts_place.js";
export * from "./acts_keys.js";
export * from "./acts_mail.js";
export * from "./acts_orders.js";
export * from "./acts_story.js";
export * from "./acts_games.js";
