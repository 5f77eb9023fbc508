import { words } from "./words.js";

// How long one has, as a person would say it: whole days, or hours where it is less than two of them.
export function pace(text, now = Date.now()) {
  const hours = (new Date(text) - now) / 3_600_000;
  if (!(hours > 0)) return "";
  const [count, unit] = hours > 47 ? [Math.ceil(hours / 24), "day"] : [Math.ceil(hours), "hour"];
  return new Intl.NumberFormat(undefined, { style: "unit", unit, unitDisplay: "long" }).format(count);
}

// A deadline in the player's own zone, and how far off it is.
export function deadline(text, now = Date.now()) {
  const when = new Date(text);
  const hours = (when - now) / 3_600_000;
  const said = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", hour: "2-digit", minute: "2-digit" }).format(when);
  if (hours < 0) return [said, words.past];
  const far = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });
  return [said, hours < 48 ? far.format(Math.round(hours), "hour") : far.format(Math.round(hours / 24), "day")];
}

// How many days it is until a day (2026-08-14), by the calendar of this device; 0 is today.
export function daysUntil(day, now = new Date()) {
  return Math.round((Date.parse(day) - Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())) / 86_400_000);
}
