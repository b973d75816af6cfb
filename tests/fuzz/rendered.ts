import { HtmlRenderer, Parser } from 'commonmark';
import { JSDOM } from 'jsdom';
import { Marked } from 'marked';

// Its own way with bare addresses swallows the backslash behind one, so it gets none.
const marked = new Marked({ gfm: true, tokenizer: { url: () => undefined } });
const reference = { parser: new Parser(), renderer: new HtmlRenderer({ safe: false }) };

/** Markdown as HTML by readers that share no code with the service. */
export const RENDERERS: Readonly<Record<string, (text: string) => string>> = {
  'the reference of CommonMark': (text) => reference.renderer.render(reference.parser.parse(text)),
  marked: (text) => marked.parse(text, { async: false }),
};

/** Elements that run, fetch, submit, navigate or restyle by being there. */
const FORBIDDEN =
  /^(?:script|iframe|object|embed|form|base|link|meta|style|applet|frame|frameset|portal|fencedframe|animate|animatetransform|set)$/;
/** Attributes with an address that is fetched without a click. */
const FETCHED =
  /^(?:src|srcset|poster|background|data|action|formaction|xlink:href|ping|manifest|icon|codebase|imagesrcset)$/;
const HREF_FETCHES = /^(?:image|feimage|use|pattern|textpath|mpath|cursor|(?:linear|radial)gradient|filter)$/;
const HERE = 'app://vault/wiki/a/facts/b.md';

/** What in this HTML would run, fetch or leave the vault unasked, as a browser's own parser sees it. */
export function activeIn(html: string): string[] {
  const found: string[] = [];
  // No file holds half a character.
  const text = html.replace(/\p{Cs}/gu, '\ufffd');
  for (const element of JSDOM.fragment(text).querySelectorAll('*')) {
    const name = element.localName.toLowerCase();
    if (FORBIDDEN.test(name)) found.push(`element ${name}`);
    for (const attribute of element.attributes) {
      const problem = problemOf(name, attribute.name.toLowerCase(), attribute.value);
      if (problem !== null) found.push(`${name} ${attribute.name}: ${problem}`);
    }
    if (name === 'code' && /^\s*\$=/.test(element.textContent)) found.push('inline script');
    // What a template holds is no child of it, but a script may take it out.
    if (name === 'template') found.push(...activeIn(element.innerHTML));
  }
  return found;
}

function problemOf(element: string, name: string, value: string): string | null {
  if (/^on./.test(name)) return 'handler';
  if (name === 'style' && /url\s*\(|@import|expression|\\/i.test(value)) return 'style';
  if (
    name === 'class' &&
    /(?:^|\s)language-(?:dataviewjs|js-engine|meta-bind-js-view|templater|button|run-\S*)(?:\s|$)/i.test(
      value,
    )
  )
    return 'code that runs';
  const link = name === 'href' && (element === 'a' || element === 'area');
  // One of the renderers makes links of bare addresses, which fetch nothing.
  if (link) return /^(?:https?|mailto|ftp|app)$/.test(schemeOf(value)) ? null : `scheme ${value}`;
  if (!FETCHED.test(name) && !(name === 'href' && HREF_FETCHES.test(element))) return null;
  const parts = name.endsWith('srcset') ? value.split(/[\s,]+/) : [value];
  const remote = parts.find((part) => schemeOf(part) !== 'app' || hostOf(part) !== 'vault');
  return remote === undefined ? null : `fetches ${remote}`;
}

/** Where a browser would go from a note; an address that it cannot read leads nowhere. */
function resolved(address: string): URL | null {
  return URL.canParse(address, HERE) ? new URL(address, HERE) : null;
}

function schemeOf(address: string): string {
  return resolved(address)?.protocol.slice(0, -1) ?? 'app';
}

function hostOf(address: string): string {
  return resolved(address)?.host ?? 'vault';
}
