import * as fc from 'fast-check';
import { gated } from '../../support/gate-world';
import { hostileMarkdown } from '../../support/hostile-markdown';

const RUNS = { numRuns: 400 };

/** The changes of a body in a few words each: kind, reason, line, and both texts. */
function changesOf(body: string) {
  return gated(body, { mode: 'promote' }).changes.map(({ kind, reason, line, text, becomes }) =>
    [kind, reason, line, text, becomes].join(' | '),
  );
}

it.each<[string, string[]]>([
  ['[[mtu]] [[Nope]] [[vlan]] plain', []],
  ['a [[raw/x|r]] b', ['wikilink | unreviewed | 1 | [[raw/x|r]] | r']],
  ['[[.brain/x]]', ['wikilink | protected | 1 | [[.brain/x]] | .brain/x']],
  ['one\n\n![a](http://x)', ['image | remote_embed | 3 | ![a](http://x) | [a](http://x)']],
  ['[r](javascript:x)', ['mdlink | unsafe_scheme | 1 | [r](javascript:x) | r']],
  ['<b onclick=x>', ['html | active_content | 1 | <b onclick=x> | &lt;b onclick=x>']],
  [
    '<script>![a](http://x)</script>',
    ['html | active_content | 1 | <script>![a](http://x)</script> | &lt;script>[a](http://x)&lt;/script>'],
  ],
  [
    '```dataviewjs\nx\n```',
    ['code | active_content | 1 | ```dataviewjs\nx\n``` | dataviewjs\n```text\nx\n```'],
  ],
  ['<% x %>', ['template | active_content | 1 | <% x %> | &lt;% x %>']],
  ['to pay\u200bpal now', ['invisible | invisible | 1 | pay\u200bpal | paypal']],
  [
    '![a](http://x) ![a](http://x)',
    [
      'image | remote_embed | 1 | ![a](http://x) | [a](http://x)',
      'image | remote_embed | 1 | ![a](http://x) | [a](http://x)',
    ],
  ],
])('names what it changes in %j', (body, expected) => {
  expect(changesOf(body)).toEqual(expected);
});

/** Gates a body and keeps the changes with these numbers. */
function keeping(body: string, keep: readonly number[]) {
  const { changes } = gated(body, { mode: 'promote' });
  return gated(body, { mode: 'promote', keep: changes.filter((_, index) => keep.includes(index)) }).body;
}

it.each<[string, number[], string]>([
  ['![a](http://x) ![a](http://x)', [1], '[a](http://x) ![a](http://x)'],
  ['![a](http://x) ![a](http://x)', [0], '![a](http://x) [a](http://x)'],
  ['pay\u200bpal and pay\u200bpal', [1], 'paypal and pay\u200bpal'],
  ['<script>x</script> <script>x</script>', [1], '&lt;script>x&lt;/script> <script>x</script>'],
  ['[[raw/x|r]] [[raw/x|r]] [[mtu|m]]', [1], 'r [[raw/x|r]] [[wiki/homelab/facts/mtu|m]]'],
  ['[![a](http://x)](mtu.md)', [0], '[![a](http://x)](mtu.md)'],
  ['[[mtu|![a](http://x)]] [[mtu]]', [0], '[[mtu|![a](http://x)]] [[wiki/homelab/facts/mtu|WireGuard MTU]]'],
  ['```dataviewjs\nx\n```\n<% y %>', [0], '```dataviewjs\nx\n```\n&lt;% y %>'],
])('keeps in %j what a person keeps of it: %j', (body, keep, expected) => {
  expect(keeping(body, keep)).toBe(expected);
});

it('says which link it kept with what is inside', () => {
  const body = '[[mtu|![a](http://x)]]';
  const { changes } = gated(body, { mode: 'promote' });
  expect(gated(body, { mode: 'promote', keep: changes }).warnings).toEqual([
    'The link to "mtu" was kept as written.',
  ]);
});

it('tells changes that are apart, in order, and where they are', () => {
  fc.assert(
    fc.property(hostileMarkdown, (body) => {
      const { changes } = gated(body, { mode: 'promote' });
      let end = 0;
      for (const { from, to, line, kind, text } of changes) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        expect(line).toBe(body.slice(0, from).split('\n').length);
        if (to - from < 200 && kind !== 'invisible') expect(text).toBe(body.slice(from, to));
        end = to;
      }
    }),
    RUNS,
  );
});

it('explains every byte that it changes, where no link gets another form', () => {
  fc.assert(
    fc.property(hostileMarkdown, (body) => {
      const { changes, refs, body: stored } = gated(body, { mode: 'promote' });
      fc.pre(refs.every(({ resolved, reason }) => resolved === undefined && reason !== 'self'));
      fc.pre(changes.every(({ kind, from, to }) => kind !== 'invisible' && to - from < 200));
      let [told, at] = ['', 0];
      for (const { from, to, becomes } of changes) {
        told += body.slice(at, from) + becomes;
        at = to;
      }
      expect(told + body.slice(at)).toBe(stored);
    }),
    RUNS,
  );
});

it('keeps any choice of changes byte for byte, and changes all others', () => {
  fc.assert(
    fc.property(hostileMarkdown, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }), (body, choice) => {
      const { changes } = gated(body, { mode: 'promote' });
      const keep = changes.filter((_, index) => choice[index % 40] === true);
      const stored = gated(body, { mode: 'promote', keep }).body;
      let at = 0;
      for (const { from, to } of keep) {
        const part = body.slice(from, to);
        const found = stored.indexOf(part, at);
        expect(found).toBeGreaterThanOrEqual(0);
        at = found + part.length;
      }
      if (keep.length === 0) expect(stored).toBe(gated(body, { mode: 'promote' }).body);
    }),
    RUNS,
  );
});
