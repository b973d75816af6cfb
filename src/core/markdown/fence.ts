/** Returns a code fence that no line of the text can close: one character longer than the longest run in the text. */
export function fenceAround(text: string, character: '`' | '~' = '`'): string {
  let longest = 2;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at)) {
    const from = at;
    while (text[at] === character) at += 1;
    longest = Math.max(longest, at - from);
  }
  return character.repeat(longest + 1);
}
