import { GFM, parser } from '@lezer/markdown';

const stock = parser.configure(GFM);
const ACTIVE_TAG =
  /<\s*\/?\s*(?:script|iframe|object|embed|form|base|link|meta|style)\b|<[a-z][^>&]*\son[a-z]+\s*=|<[a-z][^>&]*\ssrc\s*=\s*["']?\s*(?:https?:|\/\/)/i;
const REMOTE = /^<?\s*(?:https?:|\/\/)/i;
const UNSAFE = /^<?\s*(?:javascript|vbscript|data|file|obsidian):/i;

/**
 * What would still fetch, run or deceive in a body, as a plain Markdown parser sees it: the oracle for the gate. It shares no
 * code with it: inline content is read by the parser's own rules, and addresses are judged by their first letters.
 */
export function stillActive(text: string): string[] {
  // Editors end a line at a lone carriage return, this parser does not.
  const body = text.replace(/\r(?!\n)/g, '\n');
  const found: string[] = [];
  const definitions = new Map<string, string>();
  const tree = stock.parse(body);
  const label = (text: string) =>
    text
      .replace(/^\[|\]$/g, '')
      .trim()
      .toLowerCase();
  tree.iterate({
    enter({ name, node, from, to }) {
      if (name !== 'LinkReference') return;
      const url = node.getChild('URL');
      const key = label(body.slice(from, node.getChild('LinkLabel')?.to ?? to));
      if (url && !definitions.has(key)) definitions.set(key, body.slice(url.from, url.to));
    },
  });
  tree.iterate({
    enter({ name, node, from, to }) {
      const source = body.slice(from, to);
      if (name === 'Image' || name === 'Link') {
        const url = node.getChild('URL');
        const reference = node.getChild('LinkLabel');
        const text = source.replace(/^!?\[/, '').replace(/\]$/, '');
        const key = reference ? label(body.slice(reference.from, reference.to)) : text.toLowerCase();
        const address = url ? body.slice(url.from, url.to) : definitions.get(key || text.toLowerCase());
        if (address === undefined) return;
        if (name === 'Image' && REMOTE.test(address)) found.push(`remote image ${source}`);
        if (UNSAFE.test(address)) found.push(`unsafe link ${source}`);
      } else if (name === 'Autolink' && UNSAFE.test(source.slice(1))) found.push(`unsafe autolink ${source}`);
      else if (name === 'HTMLTag' || name === 'HTMLBlock' || name === 'CommentBlock') {
        if (ACTIVE_TAG.test(source.replace(/<!--[^]*?-->/g, ''))) found.push(`active html ${source}`);
      } else if (
        name === 'CodeInfo' &&
        /^\{?\.?(?:(?:dataviewjs|templater|button)(?![\w-])|run-)/i.test(source)
      ) {
        found.push(`active fence ${source}`);
      } else if (name === 'InlineCode' && /^`+\s*\$=/.test(source)) found.push(`inline script ${source}`);
    },
  });
  if (body.includes('<%')) found.push('template command');
  return found;
}
