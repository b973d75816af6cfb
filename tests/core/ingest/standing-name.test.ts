import { utf8ToBytes } from '@noble/hashes/utils.js';
import { BrainError } from '../../../src/core/base/errors';
import { LONG_TEXT, Pace } from '../../../src/core/base/steps';
import { standingName } from '../../../src/core/ingest/standing-name';
import { openTestBrain } from '../../support/test-brain';

const shared = openTestBrain();
afterAll(async () => (await shared).close());

/** Returns true when a file with this content is kept under its name. */
async function keeps(name: string, content: string | Uint8Array): Promise<boolean> {
  const { brain } = await shared;
  const bytes = typeof content === 'string' ? utf8ToBytes(content) : content;
  const kept = await standingName(brain, name, (max) => Promise.resolve(bytes.subarray(0, max)));
  expect([name, `${name}.txt`]).toContain(kept);
  return kept === name;
}

const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1">${inside}</svg>`;
const canvas = (...nodes: object[]) => JSON.stringify({ nodes, edges: [] });

it.each<[string, string | Uint8Array, boolean]>([
  ['a.png', '<script>', true],
  ['a.svg', svg('<path d="M0 0" style="fill:url(#a)"/><style>.a{fill:red}</style>'), true],
  ['a.svg', svg('<a href="https://example.org/x"><text>see</text></a><use xlink:href="#b"/>'), true],
  ['a.svg', svg('<image href="data:image/png;base64,AA"/>'), true],
  ['a.svg', svg('<foreignObject><div>words</div></foreignObject>'), true],
  ['a.svg', svg('<style>.data:hover{fill:red}</style><text>Data: 5</text>'), true],
  ['a.svg', svg('<style>@font-face{src:url(data:font/woff2;base64,AA)}</style>'), true],
  ['a.svg', svg('<!--SRC=[SoWkIImgAStDuN9K]--><!-- $\\alpha$ --><text>C:\\x</text>'), true],
  ['a.svg', svg('<style>@\\69mport "x";</style>'), false],
  ['a.svg', svg('<path fill="u\\72l(https://evil.example/p)"/>'), false],
  ['a.svg', svg('<path style="fill:image-set(\'https://evil.example/p\' 1x)"/>'), false],
  ['a.svg', svg('<script>x</script>'), false],
  ['a.SVG', svg('<svg:script>x</svg:script>'), false],
  ['a.svg', svg('<g onload="x()"/>'), false],
  ['a.svg', svg('<g\nonload\n=x()/>'), false],
  ['a.svg', svg('<a href="java&#10;script:x">x</a>'), false],
  ['a.svg', svg('<image href="https://evil.example/p.png"/>'), false],
  ['a.svg', svg('<image href="//evil.example/p.png"/>'), false],
  ['a.svg', svg('<style>@import "x";</style>'), false],
  ['a.svg', svg('<path style="fill: url( https://evil.example/p )"/>'), false],
  ['a.svg', svg('<set attributeName="onclick" to="x()"/>'), false],
  ['a.svg', `<!DOCTYPE svg [<!ENTITY x "y">]>${svg('&x;')}`, false],
  ['a.svg', `<?xml version="1.0" encoding="UTF-7"?>${svg('')}`, false],
  ['a.svg', Uint8Array.of(0xff, 0xfe, 0x3c, 0), false],
  ['a.html', '<!doctype html><meta charset="utf-8"><title>T</title><p><a href="b.html#c">b</a></p>', true],
  ['a.xhtml', '<a href="https://example.org">b</a> <a class="x" href="mailto:a@example.org">c</a>', true],
  ['a.html', '<style>p{color:red}</style><p>C:\\x</p><img alt="{\\x}">', true],
  ['a.html', '<p style="background:u\\72l(https://evil.example/p)">x</p>', false],
  ['a.html', '<img srcset="https://evil.example/p.png 2x">', false],
  ['a.html', '<table background="//evil.example/p.png"></table>', false],
  ['a.html', '<video poster=https://evil.example/p.png></video>', false],
  ['a.html', '<a ping="https://evil.example" href="https://example.org">x</a>', false],
  ['a.html', '<p>x</p><script>x</script>', false],
  ['a.htm', '<p onclick="x()">x</p>', false],
  ['a.html', '<meta http-equiv="refresh" content="0;url=https://evil.example">', false],
  ['a.html', '<img src="https://evil.example/p.png">', false],
  ['a.html', '<a href="javascript:x">x</a>', false],
  ['a.html', '<a href="obsidian://x">x</a>', false],
  ['a.html', '<iframe src="b.html"></iframe>', false],
  ['a.canvas', '', true],
  ['a.canvas', canvas({ type: 'text', text: '# Plan\n\n[[wiki/x]] ```js\nx\n```' }), true],
  ['a.canvas', canvas({ type: 'file', file: 'a.md' }, { type: 'group', label: 'g' }), true],
  ['a.canvas', canvas({ type: 'text', text: '```dataviewjs\nx\n```' }), false],
  ['a.canvas', canvas({ type: 'text', text: '<iframe src="https://x"></iframe>' }), false],
  ['a.canvas', canvas({ type: 'text', text: '![](https://evil.example/p.png)' }), false],
  ['a.canvas', canvas({ type: 'link', url: 'https://evil.example' }), false],
  ['a.canvas', canvas({ type: 'script' }), false],
  ['a.canvas', '{"nodes": [', false],
  ['a.base', 'filters:\n  and:\n    - file.hasTag("x")\nviews:\n  - type: table\n    name: All\n', true],
  ['a.base', 'formulas:\n  x: html("<b>")\n', false],
  ['a.base', 'formulas:\n  x: "ht\\\nml(\'<img>\')"\n', false],
  ['a.base', 'formulas:\n  x: |\n    html\n    ("<b>")\n', false],
  ['a.base', 'formulas:\n  x: image("https://evil.example")\n', false],
  ['a.base', 'formulas:\n  x: link("obsidian://x")\n', false],
  ['a.base', 'views:\n  - type: my-plugin\n', false],
  ['a.docx', 'PK word/document.xml', true],
  ['a.docx', 'PK word/vbaProject.bin', false],
  ['a.odt', 'PK content.xml', true],
  ['a.odt', 'PK Basic/Standard/Module1.xml', false],
])('%s that holds %j is kept under its name: %j', async (name, content, expected) => {
  expect(await keeps(name, content)).toBe(expected);
});

const words = 'word '.repeat(LONG_TEXT);
it.each([
  ['a.canvas', canvas({ type: 'text', text: words })],
  ['a.canvas', canvas(...Array<object>(LONG_TEXT).fill({ type: 'group' }))],
  ['a.svg', svg(`<text>${words}</text>`)],
  ['a.html', `<p>${words}</p>`],
  ['a.base', `name: ${words}`],
])(
  'has a thread judge a long %s, and does not keep one under its name that ends the thread',
  async (kept, text) => {
    const { brain } = await shared;
    const fail = () => Promise.reject(new BrainError('too_entangled', 'x'));
    const pace = new Pace(() => Promise.resolve(), { now: () => new Date(0) }, undefined, { run: fail });
    const name = standingName({ ...brain, pace }, kept, () => Promise.resolve(utf8ToBytes(text)));
    expect(await name).toBe(`${kept}.txt`);
    expect(await keeps(kept, text)).toBe(true);
  },
);

it('does not keep a file under its name that is too large to be looked at', async () => {
  expect(await keeps('a.svg', new Uint8Array(4 * 1024 * 1024 + 1).fill(0x20))).toBe(false);
});
