/** Characters that end a wikilink or its target: a path that holds one cannot be linked so. */
export const UNLINKABLE = /[[\]|#^\n]/;

/**
 * Any text as the words of a link, where nothing can be escaped: signs that would end the link, a cell or a line, or open or
 * close a comment, code, math, a tag or a template give way to harmless ones that look alike. Blanks stay, but for those at the
 * ends and line ends. Its result is its own result.
 */
export function linkWords(text: string): string {
  return text
    .replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .replace(/\[/g, '(')
    .replace(/\]/g, ')')
    .replace(/[|\\]/g, '/')
    .replace(/`/g, "'")
    .replace(/\$/g, '＄')
    .replace(/<(?!\s|$)/g, '‹')
    .replace(/(--!?)>/g, '$1›')
    .replace(/%>/g, '%›')
    .replace(/%%+/g, '%')
    .trim();
}

/** What of the words that a caller has put between the brackets of a link could reach beyond them. */
const REACHING = /[[\]|\\\n\r\u0085\u2028\u2029]|<(?!\s|$)|--!?>|%[%>]/;

/** The same for words that stand in a link already: they stay as they are unless they could reach beyond it. */
export function typedWords(text: string): string {
  const plain = text.trim();
  const isOpen = plain.split('`').length % 2 === 0;
  return isOpen || REACHING.test(plain) ? linkWords(plain) : plain;
}
