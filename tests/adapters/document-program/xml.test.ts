import * as fc from 'fast-check';
import { SaxesParser } from 'saxes';
import {
  childAt,
  elementsBelow,
  textIn,
  xmlEvents,
  xmlTree,
} from '../../../src/adapters/document-program/xml';
import { inXml } from '../../support/made-office';

/** Returns the parts of XML, each as a line: names, text, ends. Neighbouring texts are one. */
function ours(text: string): string[] {
  const lines: string[] = [];
  for (const event of xmlEvents(text)) {
    if (event.kind === 'close') lines.push('/');
    else if (event.kind === 'open')
      lines.push(`<${event.name} ${JSON.stringify(Object.entries(event.attributes))}`);
    else if (event.text !== '') {
      if (lines.at(-1)?.startsWith('"')) lines.push(lines.pop() + event.text);
      else lines.push(`"${event.text}`);
    }
  }
  return lines;
}

/** Returns what `ours` returns, by the parser of jsdom. */
function saxes(text: string): string[] {
  const lines: string[] = [];
  const parser = new SaxesParser();
  const add = (said: string) => {
    if (said === '') return;
    if (lines.at(-1)?.startsWith('"')) lines.push(lines.pop() + said);
    else lines.push(`"${said}`);
  };
  parser.on(
    'opentag',
    ({ name, attributes }) => void lines.push(`<${name} ${JSON.stringify(Object.entries(attributes))}`),
  );
  parser.on('closetag', () => void lines.push('/'));
  parser.on('text', add);
  parser.on('cdata', add);
  parser.write(text).close();
  return lines;
}

const name = fc.constantFrom('a', 'b-c', 'd.e', 'é', '_f', 'g:h');
const words = fc
  .array(
    fc.constantFrom('x', ' ', '\n', '&', '<', '>', '"', "'", ']', ']]', '--', 'ü', '𝄞', '&amp;', '&#65;'),
  )
  .map((all) => all.join(''));
const attribute = fc
  .tuple(name, words)
  .map(([key, value]) => ` ${key}="${inXml(value).replace(/"/g, '&quot;').replace(/\n/g, ' ')}"`);
const node: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5 },
    words.map(inXml),
    words.map((text) => `<![CDATA[${text.replace(/\]\]+>?/g, '')}]]>`),
    fc.constant('<!-- no "text" <x> -->'),
    fc.constant('<?do it="x>"?>'),
    fc
      .tuple(
        name,
        fc.uniqueArray(attribute, { maxLength: 3, selector: (one) => one.split('=')[0] }),
        fc.array(tie('node'), { maxLength: 4 }),
      )
      .map(([tag, attributes, inside]) =>
        inside.length === 0
          ? `<${tag}${attributes.join('')} />`
          : `<${tag}${attributes.join('')}>${inside.join('')}</${tag}>`,
      ),
  ),
})).node;

describe('XML', () => {
  it('is read as another parser reads it', () =>
    fc.assert(
      fc.property(fc.array(node), (nodes) => {
        const text = `<?xml version="1.0"?><root>${nodes.join('')}</root>`;
        expect(ours(text)).toEqual(saxes(text));
      }),
    ));

  it('has the prefixes that readers know, whatever the file calls them', () => {
    const tree = xmlTree(
      '<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:p x:val="1"><y xmlns="urn:own"/></x:p><y xmlns="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/><y/></x:document>',
    );
    const document = childAt(tree, 'w:document');
    expect(document?.children.map((child) => (typeof child === 'string' ? child : child.name))).toEqual([
      'w:p',
      'w:y',
      'y',
    ]);
    expect(childAt(document, 'w:p')?.attributes).toEqual({ 'w:val': '1' });
  });

  it.each<[string, string, string[]]>([
    [
      'entities of its own',
      '<!DOCTYPE a [<!ENTITY x "y"><!ENTITY z SYSTEM "file:///etc/passwd">]><a b="&x;">&x;&z;</a>',
      ['<a [["b","&x;"]]', '"&x;&z;', '/'],
    ],
    ['a sign that begins no tag', '<a>1 < 2 & 3</a>', ['<a []', '"1 < 2 & 3', '/']],
    ['an end that nothing begins', '</b><a></a></a><c/>', ['<a []', '/', '<c []', '/']],
    ['a tag that nothing ends', '<a>x<b c="', ['<a []', '"x']],
    ['a comment and data that nothing ends', '<a>x<![CDATA[y', ['<a []', '"xy']],
    ['characters that are none', '<a>&#x110000;&#0;&#xd800;</a>', ['<a []', '"\ufffd\0\ufffd', '/']],
    [
      'names of an object',
      '<__proto__ __proto__="x" constructor="y"/>',
      ['<__proto__ [["constructor","y"]]', '/'],
    ],
  ])('with %s is read as far as it goes', (_, text, lines) => expect(ours(text)).toEqual(lines));

  it('that is nested too deep is refused as a tree', () =>
    expect(() => xmlTree('<a>'.repeat(100_000))).toThrow(RangeError));

  it('gives the elements of a name, but not those within them', () => {
    const tree = xmlTree('<a><b>1<b>2</b></b><c><b>3</b></c></a>');
    expect([...elementsBelow(tree, 'b')].map(textIn)).toEqual(['12', '3']);
  });
});
