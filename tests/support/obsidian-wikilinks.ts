/**
 * The targets of the wikilinks and embeds in a body of plain paragraphs, as Obsidian reads them: the oracle for the reader. Only
 * `]]` ends a link; a line break or another `[[` in it makes it none.
 * @param escaped true for a reader to whom a `[[` behind a backslash is no other opening
 */
export function obsidianWikilinks(body: string, escaped: boolean): string[] {
  return body.split(/\n{2,}/).flatMap((paragraph) => inParagraph(paragraph, escaped));
}

function inParagraph(text: string, escaped: boolean): string[] {
  const targets: string[] = [];
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const inside = /^\[\[([^\n]*?)\]\]/.exec(rest)?.[1];
    const probe = `[${escaped ? inside?.replace(/\\./g, '..') : inside}`;
    const run = /^`+/.exec(rest)?.[0] ?? '';
    if (/^\\[!-/:-@[-`{-~]/.test(rest)) at += 2;
    else if (run !== '') {
      const close = new RegExp(`(?<!\`)${run}(?!\`)`).exec(rest.slice(run.length));
      at += run.length + (close === null ? 0 : close.index + run.length);
    } else if (inside !== undefined && !probe.includes('[[')) {
      targets.push((inside.split(/\\?\|/)[0] ?? '').replace(/#.*$/, '').trim());
      at += inside.length + 4;
    } else at += 1;
  }
  return targets.filter((target) => target !== '');
}
