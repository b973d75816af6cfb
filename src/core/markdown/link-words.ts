/** Characters that end a wikilink or its target: a wikilink cannot lead to a path that has one. */
export const UNLINKABLE = /[[\]|#^\n]/;

/**
 * Converts any text to the words of a wikilink, where nothing can be escaped. Characters that would end the link, a cell or a
 * line, or open or close a comment, code, math, a tag or a template, become harmless lookalikes. Line ends become spaces, and
 * the result is trimmed. The function is idempotent.
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

/** Characters in the words of a link that could have an effect beyond its brackets. */
const REACHING = /[[\]|\\\n\r\u0085\u2028\u2029]|<(?!\s|$)|--!?>|%[%>]/;

/** Returns the trimmed words of an existing link, and `linkWords` of them only when they could have an effect beyond it. */
export function typedWords(text: string): string {
  const plain = text.trim();
  const isOpen = plain.split('`').length % 2 === 0;
  return isOpen || REACHING.test(plain) ? linkWords(plain) : plain;
}
