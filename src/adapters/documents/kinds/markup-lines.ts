/** A link to an address of the web as Markdown; to anything else only its text, for the file leads nowhere from a note. */
export function webLink(address: string, text: string): string {
  const target = address.trim();
  const shown = text.replace(/\s+/g, ' ').trim() || target;
  if (!/^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(target)) return shown;
  if (shown === target) return `<${target}>`;
  return `[${shown}](${target.replace(/\(/g, '%28').replace(/\)/g, '%29')})`;
}

/**
 * Applies `change` to a line outside of what stands between marks of code, which is written as code of Markdown. `code` must
 * be global; its first group is what stands before the mark and belongs to the text, its second one the code.
 */
export function outsideCode(line: string, code: RegExp, change: (text: string) => string): string {
  let at = 0;
  let result = '';
  for (const match of line.matchAll(code)) {
    result += change(line.slice(at, match.index) + (match[1] ?? '')) + inlineCode(match[2] ?? '');
    at = match.index + match[0].length;
  }
  return result + change(line.slice(at));
}

/** Text as code within a line, between as many back quotes as it takes. */
export function inlineCode(text: string): string {
  const runs = new Set((text.match(/`+/g) ?? []).map((run) => run.length));
  let size = 1;
  while (runs.has(size)) size += 1;
  const pad = /^`|`$/.test(text) ? ' ' : '';
  return `${'`'.repeat(size)}${pad}${text}${pad}${'`'.repeat(size)}`;
}

/** How far a line is moved in, a tab up to the next eighth column. */
export function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === ' ') width += 1;
    else if (character === '\t') width += 8 - (width % 8);
    else break;
  }
  return width;
}

/** Without the empty lines that lines which were left out have left, apart from those within blocks of code. */
export function tidy(markdown: string): string {
  let fence = '';
  let empty = true;
  const lines: string[] = [];
  for (const line of markdown.split('\n')) {
    const [mark = ''] = /^(?:`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === '') fence = mark;
    else if (line.trim() === fence) fence = '';
    const isEmpty = fence === '' && line.trim() === '';
    if (!isEmpty || !empty) lines.push(line);
    empty = isEmpty;
  }
  return `${lines.join('\n').trimEnd()}\n`;
}
