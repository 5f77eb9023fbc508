// What a person sees of this page, told to the page around it.
function light([red, green, blue]) {
  const part = value => (value /= 255) <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
}
const numbers = colour => (colour.match(/[\d.]+/g) || []).map(Number);
function behind(element) {
  for (let one = element; one; one = one.parentElement) {
    const colour = numbers(getComputedStyle(one).backgroundColor);
    if (colour.length === 3 || colour[3] > 0) return colour.slice(0, 3);
  }
  return [255, 255, 255];
}
const dim = [];
for (const element of document.body.querySelectorAll("p, a, h1, h2, th, td, pre")) {
  const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
  if (!own) continue;
  const [one, other] = [numbers(getComputedStyle(element).color).slice(0, 3), behind(element)].map(light);
  const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  if (contrast < 4.5) dim.push({text: element.textContent.slice(0, 40), contrast});
}
const pictures = [...document.querySelectorAll("img, svg")];
setTimeout(() => parent.postMessage(JSON.stringify({
  width: document.documentElement.scrollWidth,
  dim,
  without_words: pictures.filter(one => !(one.alt || one.querySelector("title")?.textContent)).length,
  asked_for: askedFor,
  headings: [...document.querySelectorAll("h1, h2, h3")].map(one => Number(one.tagName[1])),
  dark: matchMedia("(prefers-color-scheme: dark)").matches,
}), "*"), 300);
