import * as fc from 'fast-check';
import type { GateMode } from '../../src/core/gate/gate';
import { gated } from '../support/gate-world';
import { hostileMarkdown } from '../support/hostile-markdown';
import { cpuMs } from '../support/cpu';
import { fuzz } from './fuzz';
import { mutated, repeated } from './mutations';
import { BODIES } from './regressions';
import { activeIn, RENDERERS } from './rendered';

const TAGS = [
  ...[
    'script',
    'img',
    'svg',
    'a',
    'iframe',
    'object',
    'embed',
    'form',
    'base',
    'link',
    'meta',
    'style',
    'video',
    'audio',
    'source',
  ],
  ...[
    'b',
    'div',
    'p',
    'td',
    'math',
    'mtext',
    'input',
    'button',
    'details',
    'body',
    'image',
    'use',
    'animate',
    'set',
    'textarea',
    'title',
  ],
  ...[
    'noscript',
    'template',
    'xmp',
    'plaintext',
    'select',
    'option',
    'table',
    'pre',
    'code',
    'SCRIPT',
    'ScRiPt',
    'foreignObject',
    'track',
    'marquee',
  ],
];
const ATTRIBUTES = [
  ...[
    'src',
    'href',
    'onerror',
    'onclick',
    'onload',
    'style',
    'srcset',
    'poster',
    'xlink:href',
    'action',
    'formaction',
    'data',
  ],
  ...[
    'background',
    'class',
    'title',
    'alt',
    'ONERROR',
    'on',
    'ping',
    'fill',
    'srcdoc',
    'usemap',
    'id',
    '"',
    "'",
    '=',
    '<',
  ],
];
const VALUES = [
  ...[
    'http://x/p',
    '//x/p',
    'https://x',
    'javascript:x',
    'JaVaScRiPt:x',
    'java\nscript:x',
    'java&#10;script:x',
    'java&Tab;script:x',
  ],
  ...[
    'javascript&colon;x',
    '&#106;avascript:x',
    '&#x6A;avascript:x',
    '\u0001javascript:x',
    ' javascript:x',
    'data:text/html,x',
    'vbscript:x',
  ],
  ...[
    'file:///x',
    'obsidian://x',
    '\\\\x\\p',
    '/\\x',
    'http:/x',
    'https:x',
    'blob:x',
    'x',
    'img/a.png',
    'a b',
    '#x',
    'mailto:a@b.c',
    'http&#58;//x',
  ],
  ...[
    'url(http://x)',
    'background:url(//x)',
    'background:u\\72l(//x)',
    'x 1x, http://y 2x',
    'language-dataviewjs',
    '',
    '`',
    '>',
    '"',
    "'",
  ],
];
const SCHEMES = [
  'javascript',
  'JAVASCRIPT',
  'vbscript',
  'data',
  'file',
  'obsidian',
  'http',
  'https',
  'mailto',
  'tel',
  'ftp',
  'x-y.z+1',
];

const tag = fc
  .record({
    open: fc.constantFrom('<', '<', '<', '</', '< ', '<!--<', '&lt;'),
    name: fc.constantFrom(...TAGS),
    attributes: fc.array(
      fc
        .record({
          gap: fc.constantFrom(' ', ' ', '/', '\n', '\t', '\f', '', ' / '),
          name: fc.constantFrom(...ATTRIBUTES),
          equals: fc.constantFrom('=', '=', ' = ', '=\n', '', '=='),
          quote: fc.constantFrom('', '"', "'", '`'),
          value: fc.constantFrom(...VALUES),
          close: fc.constantFrom(true, true, true, false),
        })
        .map(
          ({ gap, name, equals, quote, value, close }) =>
            gap + name + equals + quote + value + (close ? quote : ''),
        ),
      { maxLength: 3 },
    ),
    end: fc.constantFrom('>', '>', '>', '/>', ' >', '\n>', '', '<', '>>', '-->'),
  })
  .map(({ open, name, attributes, end }) => open + name + attributes.join('') + end);

const link = fc
  .record({
    open: fc.constantFrom('[', '![', '[![', '[[', '![[', '<', '[a][', '\n[a]: '),
    text: fc.constantFrom('a', '', 'x](y', '`', '\\', '*a*', '[b]', '![c](http://x)', '\n', '<b>'),
    middle: fc.constantFrom('](', '](<', '][', ']]', ']: ', '] (', ']( ', '](\n', '|', '>'),
    scheme: fc.constantFrom(...SCHEMES, ...VALUES),
    colon: fc.constantFrom(':', ':', '&colon;', '&#58;', '\\:', '%3A', '%3a', '&#x3a;', ''),
    rest: fc.constantFrom('x', '//x', '//x/p.png', '///x', 'alert(1)', 'text/html,x', '\\x', ' x'),
    end: fc.constantFrom(
      ')',
      '>)',
      ' "t")',
      " 't')",
      ' (t))',
      ']',
      ']]',
      ')]',
      '',
      '\n',
      ')](http://y)',
      '>',
    ),
  })
  .map(
    ({ open, text, middle, scheme, colon, rest, end }) => open + text + middle + scheme + colon + rest + end,
  );

const AROUND = [
  ...[
    '\n',
    '\n\n',
    ' ',
    '> ',
    '- ',
    '1. ',
    '    ',
    '\t',
    '`',
    '``',
    '```\n',
    '\n```\n',
    '~~~\n',
    '```dataviewjs\n',
    '```js\n',
    '$',
    '$$',
    '%%',
  ],
  ...[
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '?>',
    '<!',
    '\\',
    '*',
    '**',
    '~~',
    '|',
    '\n|-|-|\n',
    '# ',
    '\n---\n',
    '\n===\n',
    '`$=',
    '` $= x`',
  ],
  ...[
    '<%',
    '%>',
    '[^1]',
    '[^1]: ',
    '==',
    ':',
    '&',
    'text',
    'a',
    '<div>',
    '</div>',
    '<pre>',
    '</pre>',
    '<table><td>',
    '<code>',
    '\u200b',
    '\u202e',
    '\0',
    '\r',
  ],
];

const bodies = fc.oneof(
  hostileMarkdown,
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: tag },
        { weight: 3, arbitrary: link },
        { weight: 4, arbitrary: fc.constantFrom(...AROUND) },
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
  mutated(
    fc.oneof(
      tag,
      link,
      fc.tuple(tag, link).map(([one, other]) => `${one}\n\n${other}`),
      fc.constantFrom(...BODIES, ''),
    ),
    AROUND,
  ),
);
const cases = BODIES.map((body): [string] => [body]);
const MODES: readonly GateMode[] = ['full', 'promote'];

describe.each(MODES)('what the gate lets through in mode %s', (mode) => {
  fuzz(
    'neither runs nor fetches in any of the renderers',
    2500,
    fc.property(bodies, (body) => {
      const safe = gated(body, { mode }).body;
      for (const [name, render] of Object.entries(RENDERERS)) {
        // This one looks for brackets before it looks for code and for escapes, against the rule of all others.
        if (name === 'marked' && /`|\\[[\]]/.test(safe)) continue;
        // A `<code>` that is left open goes on in the paragraphs below, but only where all of a note is one page.
        const found = activeIn(render(safe)).filter(
          (what) => what !== 'inline script' || !/<code/i.test(safe),
        );
        expect([name, found]).toEqual([name, []]);
      }
      expect(safe).not.toContain('<%');
    }),
    cases,
  );

  fuzz(
    'is changed by no second look',
    1000,
    fc.property(bodies, (body) => {
      const once = gated(body, { mode }).body;
      expect(gated(once, { mode }).body).toBe(once);
    }),
    cases,
  );
});

fuzz(
  'what stands in a note stays, and what is new is still judged',
  1000,
  fc.property(bodies, (body) => {
    expect(gated(body, { current: body }).body).toBe(body);
    const added = '\n\n<img src="http://new.example/x" onerror="y">\n';
    if (/[`~<[(%$\\]/.test(body)) return; // Those may make something else of the tag.
    expect(gated(body + added, { current: body }).body).not.toContain('<img');
  }),
  cases,
);

fuzz(
  'code keeps every byte that no plugin would run',
  500,
  fc.property(fc.array(fc.oneof(tag, link, fc.constantFrom(...AROUND)), { maxLength: 8 }), (parts) => {
    const code = parts.join('').replace(/~|<%|\$=|\r(?!\n)/g, '');
    const body = `Before\n\n~~~~~~~~ js\n${code}\n~~~~~~~~\n\nafter\n`;
    expect(gated(body).body).toBe(body);
  }),
);

fuzz(
  'no text of some kilobytes takes longer than a breath',
  60,
  fc.property(
    repeated([...AROUND, '<a ', '<img src=x ', '[a](', '![', '[[', ']]', '](', '<', '>', '"', '='], 30_000),
    (body) => {
      const start = cpuMs();
      gated(body);
      expect(cpuMs() - start).toBeLessThan(5000);
    },
  ),
);

it('the renderers do show what is active', () => {
  const body =
    '![a](http://x) [t](javascript:x) <b onclick=x>b</b> <svg><script>x</script></svg> `$= x` <img src=//x>\n\n```dataviewjs\nx\n```';
  expect(activeIn(RENDERERS['the reference of CommonMark']?.(body) ?? '')).toHaveLength(7);
  expect(activeIn(RENDERERS.marked?.(body) ?? '').length).toBeGreaterThanOrEqual(6);
});
