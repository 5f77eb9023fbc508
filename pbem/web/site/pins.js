// Markers on enemy blocks, as pins on the picture and as a choice in a list.

// By area, the pins that stand there: {number, text, sure}, where `sure` means that the block can be nowhere else.
export function pinsOf(marks) {
  const found = new Map();
  for (const { number, text, areas } of marks) {
    for (const area of areas) found.set(area, [...(found.get(area) ?? []), { number, text: text.trim(), sure: areas.length === 1 }]);
  }
  return found;
}

// The place in the list of the block that is meant by what was tapped: by its name, else by the area where it stands.
export function chosenBlock(blocks, picked) {
  const by = (test) => blocks.findIndex(test);
  const named = by((one) => one.name && picked.includes(one.name));
  return named >= 0 ? named : by((one) => picked.includes(one.area));
}
