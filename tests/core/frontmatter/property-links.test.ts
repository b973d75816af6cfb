import * as fc from 'fast-check';
import { parseNote } from '../../../src/core/frontmatter/parse';
import { linksInValue, propertyLinks, retargetProperties } from '../../../src/core/links/properties';
import { type LinkUse, pathAddress } from '../../../src/core/markdown/address';
import { linkPath, type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { cpuMs } from '../../support/cpu';

const to = vaultPath("wiki/e/facts/it's.md");
const isUp1 = (target: string): boolean => /^raw\/up1(?:\.md)?$/.test(target);
/** A link that leads to a path, in its own form. */
const leading = ({ kind }: { readonly kind: string }, path: VaultPath) => ({
  target: kind === 'mdlink' || kind === 'image' ? pathAddress(path) : linkPath(path),
});
const moved = (block: string, path: VaultPath = to): string =>
  retargetProperties(`---\n${block}\n---\nbody [[raw/up1]]\n`, (link) =>
    isUp1(link.target) ? leading(link, path) : null,
  ).slice(4, -'\n---\nbody [[raw/up1]]\n'.length);

describe('a link in a property leads elsewhere', () => {
  it.each([
    ['see: "[[raw/up1]]"', 'see: "[[wiki/e/facts/it\'s]]"'],
    ["see: '[[raw/up1]]'", "see: '[[wiki/e/facts/it''s]]'"],
    ['see:   "[[ raw/up1.md#A b|c \\" d]]"  # kept', 'see:   "[[ wiki/e/facts/it\'s#A b|c \\" d]]"  # kept'],
    ["see: 'it''s [[raw/up1#^b|x]] here'", "see: 'it''s [[wiki/e/facts/it''s#^b|x]] here'"],
    ['see: "\\u005b[raw\\/up1]]"', 'see: "\\u005b[wiki/e/facts/it\'s]]"'],
    ['see: "caf\\u00e9 \\t[[raw/\\x75p1]] é"', 'see: "caf\\u00e9 \\t[[wiki/e/facts/it\'s]] é"'],
    ['see: ["[[a]]", \'[[raw/up1]]\']', "see: [\"[[a]]\", '[[wiki/e/facts/it''s]]']"],
    [
      'see:\n  - "[[raw/up1]]"\n  - "[[raw/up1|y]]"',
      'see:\n  - "[[wiki/e/facts/it\'s]]"\n  - "[[wiki/e/facts/it\'s|y]]"',
    ],
    ['see:\n- "[[raw/up1]]"\r', 'see:\n- "[[wiki/e/facts/it\'s]]"\r'],
    [
      'a:\n  b: {c: "[[raw/up1]]"}\n  d: ["x", {e: "![[raw/up1]]"}]',
      'a:\n  b: {c: "[[wiki/e/facts/it\'s]]"}\n  d: ["x", {e: "![[wiki/e/facts/it\'s]]"}]',
    ],
    ['see: "[t](raw/up1.md#a)"', 'see: "[t](wiki/e/facts/it%27s.md#a)"'],
    ['see: "![t](<raw/up1.md> \'x\')"', 'see: "![t](<wiki/e/facts/it%27s.md> \'x\')"'],
    ['see: plain words [[raw/up1]]', "see: plain words [[wiki/e/facts/it's]]"],
    ['see: |\n  one\n  [[raw/up1|x]] two\nmore: x', "see: |\n  one\n  [[wiki/e/facts/it's|x]] two\nmore: x"],
    ['see: >-\n  one [[raw/up1]]\n', "see: >-\n  one [[wiki/e/facts/it's]]\n"],
    [
      'see:\n  - |\n    [[raw/up1]]\n  - "[[raw/up1]]"',
      'see:\n  - |\n    [[wiki/e/facts/it\'s]]\n  - "[[wiki/e/facts/it\'s]]"',
    ],
    ['see: "one\n  two [[raw/up1]]\n\n  three"', 'see: "one\n  two [[wiki/e/facts/it\'s]]\n\n  three"'],
    ['"quoted key": "[[raw/up1]]"', '"quoted key": "[[wiki/e/facts/it\'s]]"'],
    [
      'sources: ["[[raw/up1|Up]]", "https://e.x"]\ntunnels: ["[[raw/up1|Up]]"]',
      'sources: ["[[wiki/e/facts/it\'s|Up]]", "https://e.x"]\ntunnels: ["[[wiki/e/facts/it\'s|Up]]"]',
    ],
    // Unquoted brackets are a list in a list, in Obsidian too; comments are no values.
    ['see: [[raw/up1]]', null],
    ['see: x # [[raw/up1]]', null],
    ['# "[[raw/up1]]"\nsee: x', null],
    ['see: "[[raw/up11]] [[raw/up1x]] raw/up1 [raw/up1]"', null],
    ['see: "[[raw/up1"', null],
  ])('%j', (block, expected) => {
    expect(moved(block)).toBe(expected ?? block);
  });

  it('keeps what comes before the block', () => {
    const text = '\uFEFF\n---  \r\nsee: "[[raw/up1]]"\r\n---\r\n';
    expect(retargetProperties(text, () => ({ target: 'knowledge/a' }))).toBe(
      text.replace('raw/up1', 'knowledge/a'),
    );
  });

  it('is given words where it has none', () => {
    const withWords = (block: string) =>
      retargetProperties(`---\n${block}\n---\n`, () => ({ target: 'raw/b', words: 'Mate' }));
    expect(withWords('a: ["[[Mate]]", "[[Mate|m]]", "[[Mate#x]]", "![[Mate]]"]')).toBe(
      '---\na: ["[[raw/b|Mate]]", "[[raw/b|m]]", "[[raw/b#x|Mate]]", "![[raw/b]]"]\n---\n',
    );
  });
});

it('tells what links say', () => {
  expect(linksInValue('![[a#b#c|d]], [t](x%20y.md#z), [w](https://e.x), [[#here]]')).toMatchObject([
    { kind: 'embed', target: 'a', fragment: 'b#c', text: 'd' },
    { kind: 'mdlink', target: 'x y.md', fragment: 'z', text: 't' },
  ]);
  expect(
    propertyLinks({ a: ['[[x]]', { b: '[[y]]' }], c: null, d: 'z' }).map(({ target }) => target),
  ).toEqual(['x', 'y']);
});

it('changes targets and nothing else, whatever the values and their quotes', () => {
  const piece = fc.constantFrom(
    '[[raw/up1]]',
    '[[raw/up1|é]]',
    '[x](raw/up1.md)',
    "'",
    '"',
    '\\',
    ' ',
    'a',
    '#',
    ': ',
    '[',
    ']',
    '<%',
    '🎉',
    'é',
    '|',
  );
  const value = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
  const quoted = fc.tuple(value, fc.constantFrom('double', 'single', 'escaped')).map(([text, kind]) => {
    if (kind === 'single') return { text, yaml: `'${text.replaceAll("'", "''")}'` };
    const json = JSON.stringify(text);
    return {
      text,
      yaml:
        kind === 'double'
          ? json
          : json.replace(/[é[]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    };
  });
  fc.assert(
    fc.property(fc.array(quoted, { minLength: 1, maxLength: 4 }), fc.boolean(), (values, flow) => {
      const yaml = flow
        ? ` [${values.map((v) => v.yaml).join(', ')}]`
        : values.map((v) => `\n  - ${v.yaml}`).join('');
      const text = `---\nlist:${yaml}\nend: x\n---\nbody`;
      const retarget = (link: LinkUse) => (isUp1(link.target) ? leading(link, to) : null);
      const after = retargetProperties(text, retarget);
      const links = (note: string) => propertyLinks(parseNote(note).frontmatter);
      const before = links(text);
      expect(links(after).map(({ target }) => target)).toEqual(
        before.map(({ kind, target }) =>
          isUp1(target) ? (kind === 'mdlink' ? to : to.slice(0, -3)) : target,
        ),
      );
      expect(links(after).map(({ text: words }) => words)).toEqual(before.map(({ text: words }) => words));
      if (!before.some(({ target }) => isUp1(target))) expect(after).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

it.each(['[[', '](', '[a](b "', '"[', "'[", '[[a|', '- "[[', '\\u005b', '[a](<'])(
  'takes %j in no time',
  (part) => {
    const text = `---\na: "${part.replaceAll('"', "'").repeat(60_000 / part.length)}"\n---\n`;
    const started = cpuMs();
    retargetProperties(text, () => null);
    propertyLinks(parseNote(text).frontmatter);
    expect(cpuMs() - started).toBeLessThan(5_000);
  },
);
