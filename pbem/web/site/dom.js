// What the browser does for the page besides drawing: files out, files in.
export function download(name, data, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export const fromBase64 = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

export async function toBase64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let place = 0; place < bytes.length; place += 32768) {
    text += String.fromCharCode(...bytes.subarray(place, place + 32768));
  }
  return btoa(text);
}

export function message(worker, said) {
  return new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }) => done(data);
    worker.postMessage(said, [channel.port2]);
  });
}

// Is somebody writing within an element: in a field, in a form that was changed, or in one that was unfolded to sign?
export const isFilledIn = (element) => Boolean(element) && (
  element.contains(document.activeElement?.closest("input, textarea, select"))
  || Boolean(element.querySelector(".signing details[open] form"))
  || [...element.querySelectorAll("form input, form textarea")].some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked));
