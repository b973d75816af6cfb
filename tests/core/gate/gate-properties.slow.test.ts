import * as fc from 'fast-check';
import type { GateMode } from '../../../src/core/gate/gate';
import { linksIn } from '../../support/links-in';
import { gated } from '../../support/gate-world';
import { hostileMarkdown, plainMarkdown } from '../../support/hostile-markdown';
import { obsidianWikilinks } from '../../support/obsidian-wikilinks';
import { stillActive } from '../../support/still-active';

const RUNS = { numRuns: 1000 };

const PIECES = [
  ...['[', ']', '[[', ']]', '![[', '|', '\\|', '(', ')', '!', '\n', '\n\n', '\\', '`', '#', ' '],
  ...[
    'raw/x',
    'a',
    'mtu',
    'http://e',
    '](http://e)',
    '](javascript:x)',
    '](raw/x.md)',
    '[r]',
    '\n\n[r]: http://e\n\n',
  ],
];
/** Brackets of wikilinks and of links in each other and in pieces. */
const brackets = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 24 })
  .map((parts) => parts.join(''))
  .filter((body) => !body.includes('```'));
const MODES: readonly GateMode[] = ['full', 'promote'];

describe.each(MODES)('gate in mode %s', (mode) => {
  it('changes nothing in what it has made', () => {
    fc.assert(
      fc.property(hostileMarkdown, (body) => {
        const once = gated(body, { mode }).body;
        expect(gated(once, { mode }).body).toBe(once);
      }),
      RUNS,
    );
  });

  it('changes nothing in what it has made of brackets in brackets', () => {
    fc.assert(
      fc.property(brackets, (body) => {
        const once = gated(body, { mode });
        const again = gated(once.body, { mode });
        expect(again.body).toBe(once.body);
        expect(once.warnings.filter((warning) => warning.includes('entangled'))).toEqual([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('changes nothing in what it has made over a standing body', () => {
    fc.assert(
      fc.property(hostileMarkdown, hostileMarkdown, (body, current) => {
        const once = gated(body, { mode, current }).body;
        expect(gated(once, { mode, current }).body).toBe(once);
      }),
      RUNS,
    );
  });

  it('leaves a body without constructs as it is', () => {
    fc.assert(
      fc.property(plainMarkdown, (body) => {
        expect(gated(body, { mode })).toEqual({ body, refs: [], unlinked: [], warnings: [], changes: [] });
      }),
      RUNS,
    );
  });

  it('keeps every byte around constructs', () => {
    const constructs = fc.constantFrom(
      ['[[mtu|x]]', '[[wiki/homelab/facts/mtu|x]]'],
      ['![a](http://x)', '[a](http://x)'],
      ['[[Nope]]', mode === 'full' ? 'Nope' : '[[Nope]]'],
      ['<b onclick=x>', '&lt;b onclick=x>'],
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(plainMarkdown, constructs), { maxLength: 4 }), (parts) => {
        const join = (index: 0 | 1) =>
          parts.map(([prose, pair]) => `${prose}\n\nso ${pair[index]} it is\n\n`).join('');
        expect(gated(join(0), { mode }).body).toBe(join(1));
      }),
      RUNS,
    );
  });

  it('leaves what stands', () => {
    fc.assert(
      fc.property(hostileMarkdown, (body) => {
        expect(gated(body, { mode, current: body }).body).toBe(body);
      }),
      RUNS,
    );
  });

  it('tells only lines that are there and targets that are named', () => {
    fc.assert(
      fc.property(hostileMarkdown, (body) => {
        const { refs, unlinked } = gated(body, { mode });
        const lines = body.split('\n').length;
        expect(refs.every(({ line }) => line >= 1 && line <= lines)).toBe(true);
        expect(unlinked).toEqual([
          ...new Set(refs.filter((ref) => ref.unlinked).map(({ target }) => target)),
        ]);
      }),
      RUNS,
    );
  });
});

it.each(['full', 'promote'] as const)('a plain parser finds nothing active after mode %s', (mode) => {
  fc.assert(
    fc.property(fc.oneof(hostileMarkdown, brackets), (body) => {
      expect(stillActive(gated(body, { mode }).body)).toEqual([]);
    }),
    { numRuns: 6000 },
  );
});

it.each([
  ['full', /^wiki\//],
  ['promote', /^(?!raw\/)/],
] as const)('Obsidian finds no wikilink that may not stay after mode %s', (mode, allowed) => {
  fc.assert(
    fc.property(brackets, fc.boolean(), (body, escaped) => {
      const clean = gated(body, { mode }).body;
      fc.pre(!clean.includes('```'));
      const found = obsidianWikilinks(clean, escaped);
      // A name with brackets is hardly meant as one, unless it leads into the queue.
      const mayStay = (target: string) => allowed.test(target) || /^(?!raw\/).*[[\]]/.test(target);
      expect(found.filter((target) => !mayStay(target))).toEqual([]);
    }),
    { numRuns: 6000 },
  );
});

it.each([
  ['[[Sq]uare]] [[a [b]|c]] ![[x|[a]]]', ['Sq]uare', 'a [b]', 'x']],
  ['[[Nested [[Inner]] x]] [[a\nb]] `[[c]]` \\[[d]] [[e#f]] [[g\\|h]]', ['Inner', 'e', 'g']],
])('the reader of wikilinks finds those of %j', (body, targets) => {
  expect(obsidianWikilinks(body, false)).toEqual(targets);
});

it('the plain parser does find what is active', () => {
  const body =
    '![a](http://x) [t](javascript:x) <b onclick=x> `$= x` <% <file:///x>\n\n```run-x\n```\n\n[s]\n\n[s]: data:x';
  expect(stillActive(body)).toHaveLength(8);
});

it('every link that is left after mode full resolves, and facts agree with it', () => {
  fc.assert(
    fc.property(fc.oneof(hostileMarkdown, brackets), (body) => {
      const { body: clean } = gated(body);
      const again = gated(clean);
      expect(again.refs.every(({ reason }) => reason === undefined)).toBe(true);
      const links = linksIn(clean).filter(({ target }) => !/[[\]]/.test(target));
      expect(links).toHaveLength(again.refs.length);
    }),
    RUNS,
  );
});
