/** The attributes of an element by their names, each with its prefix as in `XmlTag`. */
type XmlAttributes = Readonly<Record<string, string>>;

/** The start of an element. A name has the prefix that `PREFIXES` gives its namespace, whatever prefix the file uses. */
interface XmlTag {
  readonly name: string;
  readonly attributes: XmlAttributes;
}

/** A part of an XML file in its order. Text of CDATA sections is text; comments and instructions are left out. */
export type XmlEvent =
  | ({ readonly kind: 'open' } & XmlTag)
  | { readonly kind: 'close' }
  | { readonly kind: 'text'; readonly text: string };

/** An element with all that it holds. */
export interface XmlElement extends XmlTag {
  readonly children: readonly XmlNode[];
}
export type XmlNode = XmlElement | string;

/** The namespaces that readers ask for, and the prefixes of their names here. OOXML has two forms of each: transitional and strict. */
const PREFIXES: readonly (readonly [namespace: RegExp, prefix: string])[] = [
  [/\/wordprocessingml(?:\/2006)?\/main$/, 'w'],
  [/\/spreadsheetml(?:\/2006)?\/main$/, ''],
  [/\/presentationml(?:\/2006)?\/main$/, 'p'],
  [/\/drawingml(?:\/2006)?\/main$/, 'a'],
  [/\/drawingml(?:\/2006)?\/chart$/, 'c'],
  [/\/drawingml(?:\/2006)?\/diagram$/, 'dgm'],
  [/\/officeDocument(?:\/2006)?\/relationships$/, 'r'],
  [/\/officeDocument(?:\/2006)?\/math$/, 'm'],
  [/\/markup-compatibility\/2006$/, 'mc'],
  [/^urn:schemas-microsoft-com:vml$/, 'v'],
  [/^urn:oasis:names:tc:opendocument:xmlns:text:1\.0$/, 'text'],
  [/^urn:oasis:names:tc:opendocument:xmlns:table:1\.0$/, 'table'],
  [/^urn:oasis:names:tc:opendocument:xmlns:office:1\.0$/, 'office'],
  [/^urn:oasis:names:tc:opendocument:xmlns:style:1\.0$/, 'style'],
  [/^urn:oasis:names:tc:opendocument:xmlns:drawing:1\.0$/, 'draw'],
  [/^urn:oasis:names:tc:opendocument:xmlns:presentation:1\.0$/, 'presentation'],
  [/^urn:oasis:names:tc:opendocument:xmlns:chart:1\.0$/, 'chart'],
  [/^urn:oasis:names:tc:opendocument:xmlns:meta:1\.0$/, 'meta'],
  [/^urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1\.0$/, 'svg'],
  [/^urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1\.0$/, 'fo'],
  [/^http:\/\/www\.w3\.org\/1999\/xlink$/, 'xlink'],
  [/^http:\/\/purl\.org\/dc\/elements\/1\.1\/$/, 'dc'],
  [/^http:\/\/purl\.org\/dc\/terms\/$/, 'dcterms'],
  [/^http:\/\/purl\.org\/rss\/1\.0\/modules\/content\/$/, 'content'],
  [/^http:\/\/www\.w3\.org\/(?:2005\/Atom|1999\/xhtml)$/, ''],
];

/** The elements and texts of one tree: a file with more costs more memory than a thread may have. */
const MAX_NODES = 2_000_000;
/** The depth of a tree. Readers of trees are recursive. */
const MAX_DEPTH = 400;

/** The entities of XML, and the one of HTML that is most often met in files that are no XML. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
]);

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g;

/** Returns text whose references are their characters. An entity that a file defines stays as written: none is expanded. */
function unescapedXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole: string, decimal?: string, hex: string = '', name?: string) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff) ? '\ufffd' : String.fromCodePoint(point);
  });
}

/** The prefixes of a file that are in force, with those that names get here. */
type Scope = ReadonlyMap<string, string>;

function prefixFor(namespace: string, written: string): string {
  return PREFIXES.find(([pattern]) => pattern.test(namespace))?.[1] ?? written;
}

function named(written: string, scope: Scope, isAttribute: boolean): string {
  const colon = written.indexOf(':');
  // A name of an attribute without a prefix is in no namespace.
  if (colon < 0 && isAttribute) return written;
  const [prefix, local] = colon < 0 ? ['', written] : [written.slice(0, colon), written.slice(colon + 1)];
  const known = scope.get(prefix) ?? prefix;
  return known === '' ? local : `${known}:${local}`;
}

const ATTRIBUTE = /(?<=[\s"'])([^\s=/"'<>]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** Reads the inside of a tag, and adds what it declares to the scope. */
function readTag(inside: string, outer: Scope): { tag: XmlTag; scope: Scope } {
  const written = /^[^\s/]+/.exec(inside)?.[0] ?? '';
  if (!inside.includes('='))
    return { tag: { name: named(written, outer, false), attributes: {} }, scope: outer };
  const pairs = [...inside.slice(written.length).matchAll(ATTRIBUTE)].map(
    ([, name = '', double, single]) => [name, unescapedXml(double ?? single ?? '')] as const,
  );
  let scope = outer;
  for (const [name, value] of pairs) {
    const prefix = /^xmlns(?::(.+))?$/.exec(name);
    if (prefix === null) continue;
    if (scope === outer) scope = new Map(outer);
    // The scope is a copy of its own since the line above.
    (scope as Map<string, string>).set(prefix[1] ?? '', prefixFor(value, prefix[1] ?? ''));
  }
  const attributes: Record<string, string> = {};
  for (const [name, value] of pairs)
    if (!name.startsWith('xmlns')) attributes[named(name, scope, true)] = value;
  return { tag: { name: named(written, scope, false), attributes }, scope };
}

/** Returns the offset of the `>` that ends a tag; -1 without one. Values between quotes may have it too. */
function tagEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '>') return at;
    if (character !== '"' && character !== "'") continue;
    at = text.indexOf(character, at + 1);
    if (at < 0) return -1;
  }
  return -1;
}

/** Returns the offset behind a document type, with what it declares inside. */
function doctypeEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' || character === "'") {
      at = text.indexOf(character, at + 1);
      if (at < 0) return text.length;
    } else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (character === '>' && depth <= 0) return at + 1;
  }
  return text.length;
}

/**
 * Yields the parts of XML one by one, so that a reader stops when it has enough. Files that are not well-formed are read as far as they
 * go: an end tag closes the last element whatever its name, and a tag that nothing ends is the end. No entity is expanded and nothing
 * is fetched. Takes linear time.
 */
export function* xmlEvents(text: string): Generator<XmlEvent> {
  const scopes: Scope[] = [new Map()];
  /** Returns the offset behind what ends a part, or the end of the text. */
  const behind = (end: string, from: number): number => {
    const found = text.indexOf(end, from);
    return found < 0 ? text.length : found + end.length;
  };
  for (let at = 0; at < text.length;) {
    const mark = text.indexOf('<', at);
    if (mark !== at) {
      yield { kind: 'text', text: unescapedXml(text.slice(at, mark < 0 ? text.length : mark)) };
      if (mark < 0) return;
    }
    if (text.startsWith('<!--', mark)) at = behind('-->', mark + 4);
    else if (text.startsWith('<![CDATA[', mark)) {
      at = behind(']]>', mark);
      yield { kind: 'text', text: text.slice(mark + 9, at).replace(/\]\]>$/, '') };
    } else if (text.startsWith('<!', mark)) at = doctypeEnd(text, mark + 2);
    else if (text.startsWith('<?', mark)) at = behind('?>', mark);
    else if (text.startsWith('</', mark)) {
      at = behind('>', mark);
      if (scopes.length > 1) {
        scopes.pop();
        yield { kind: 'close' };
      }
    } else if (/[\s\d<=]/.test(text.charAt(mark + 1))) {
      yield { kind: 'text', text: '<' };
      at = mark + 1;
    } else {
      const end = tagEnd(text, mark + 1);
      if (end < 0) return;
      const { tag, scope } = readTag(text.slice(mark + 1, end), scopes.at(-1) ?? new Map());
      yield { kind: 'open', ...tag };
      if (text[end - 1] === '/') yield { kind: 'close' };
      else scopes.push(scope);
      at = end + 1;
    }
  }
}

/**
 * Reads XML into a tree, below an element without a name.
 * @throws RangeError when it has too many parts or is nested too deep
 */
export function xmlTree(text: string): XmlElement {
  const root: { name: string; attributes: XmlAttributes; children: XmlNode[] } = {
    name: '',
    attributes: {},
    children: [],
  };
  const open = [root];
  let count = 0;
  for (const event of xmlEvents(text)) {
    const parent = open.at(-1) ?? root;
    if (event.kind === 'close') open.pop();
    else if (event.kind === 'text') parent.children.push(event.text);
    else {
      const element = { name: event.name, attributes: event.attributes, children: [] };
      parent.children.push(element);
      open.push(element);
    }
    count += 1;
    if (count > MAX_NODES || open.length > MAX_DEPTH) throw new RangeError('The XML has too many parts.');
  }
  return root;
}

/** Returns the elements directly below another one; of a name, when it is given. */
export function childrenOf(element: XmlElement | undefined, name?: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (const child of element?.children ?? [])
    if (typeof child !== 'string' && (name === undefined || child.name === name)) found.push(child);
  return found;
}

/** Returns the element that a path of names leads to, the first of each name. */
export function childAt(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let at = element;
  for (const name of path)
    at = at?.children.find((child): child is XmlElement => typeof child !== 'string' && child.name === name);
  return at;
}

/** Yields every element of a name below another one, in order; those within a found one are not looked at. */
export function* elementsBelow(
  element: XmlElement | undefined,
  ...names: readonly string[]
): Generator<XmlElement> {
  for (const child of childrenOf(element))
    if (names.includes(child.name)) yield child;
    else yield* elementsBelow(child, ...names);
}

/** Returns all text in an element. */
export function textIn(node: XmlNode | undefined): string {
  if (node === undefined) return '';
  return typeof node === 'string' ? node : node.children.map(textIn).join('');
}
