import { readNote, withFileStat } from '../../../src/core/catalog/record';
import { textOfRecords } from '../../../src/core/catalog/snapshot';
import { linkFindingSteps } from '../../../src/core/gate/link-findings';
import { FindingList } from '../../../src/core/gate/finding';
import { finish } from '../../../src/core/base/steps';
import { hasFragment } from '../../../src/core/links/headings';
import { withLookups } from '../../../src/core/links/resolve';
import { parseMarkdown } from '../../../src/core/markdown/parse';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { ENTANGLED } from '../../support/entangled';
import { gated, targets } from '../../support/gate-world';

const LENGTH = 8_192;
const queued = vaultPath('raw/2026-01-02-x.md');

describe.each(Object.entries(ENTANGLED))('%s', (_name, made) => {
  const { text } = made(LENGTH);

  it('is gated to a text and a report of its own size', () => {
    const { body, refs, warnings } = gated(text, { current: `${text}.` });
    expect(body.length).toBeLessThan(12 * text.length);
    expect(refs.length).toBeLessThanOrEqual(200);
    for (const ref of refs) expect(ref.target.length + ref.text.length).toBeLessThanOrEqual(800);
    expect(warnings.join('').length).toBeLessThan(12 * text.length);
  });

  it('is known by facts of its own size', () => {
    const { record, fields } = readNote(queued, 'raw', text);
    const row = textOfRecords([withFileStat(record, { mtime: 1, size: 1 })]);
    expect(row.length).toBeLessThan(2_000 + 4 * text.length);
    const words = fields.reduce((sum, field) => sum + field.text.length, 0);
    expect(words).toBeLessThan(2_000 + 4 * text.length);
  });
});

/** The addresses of one definition in the keys and reports of its uses, each counted once, as they are kept in memory. */
it('keeps the address of a definition once, however many links use it', () => {
  const uses = 500;
  const markdown = parseMarkdown(`[a]: ${'x'.repeat(4_000)}\n\n${'[a] ![a][a] [][a] '.repeat(uses)}`);
  const found = new FindingList(markdown.body.length);
  const resolved = { relative: new Map(), rooted: new Map() };
  const resolve = () => ({ status: 'missing' }) as const;
  finish(linkFindingSteps(markdown, { resolve, targets, resolved }, found));
  expect(found.all.length).toBe(3 * uses);
  const meanings = found.all.map(({ key }) => key?.meaning.length ?? 0);
  expect(Math.max(...meanings)).toBeLessThanOrEqual(64);
  const written = found.all.flatMap(({ edits }) => edits.map(({ text }) => text.length));
  expect(Math.max(...written)).toBeLessThanOrEqual(200);
});

it('looks through the blocks of a note once, however many links lead there', () => {
  let looked = 0;
  const blocks = new Proxy(
    Array.from({ length: 3_000 }, (_, n) => `b${n}`),
    {
      get(list, key: string) {
        if (/^\d+$/.test(key)) looked += 1;
        return Reflect.get(list, key) as unknown;
      },
    },
  );
  const links = Array.from({ length: 1_000 }, (_, n) => `[[dns#^B${2_999 - n}]]`).join(' ');
  const { refs, warnings } = gated(`${links} [[dns#^no]]`, {
    targets: withLookups(targets, { holds: (_, fragment) => hasFragment([], blocks, fragment) }),
  });
  expect(refs[0]).toMatchObject({ resolved: 'wiki/net/facts/dns.md' });
  expect(warnings).toHaveLength(1);
  expect(looked).toBeLessThanOrEqual(2 * blocks.length);
});

it('turns a text of more constructs than are checked into plain text, and reports that it is active', () => {
  const { body, refs, warnings } = gated('<% x '.repeat(40_000));
  // The bodies are too long to be shown by a failing test.
  expect(body.includes('<%')).toBe(false);
  expect(refs).toMatchObject([{ reason: 'active_content', line: 1, unlinked: true }]);
  expect(warnings).toEqual([expect.stringContaining('too entangled')]);
});

it('turns what follows more constructs than are read into plain text', () => {
  const { body, refs, warnings } = gated(`[[dns]]\n\n${'`a` '.repeat(80_000)}\n\n<script>x</script>`);
  expect(body.startsWith('[[wiki/net/facts/dns|')).toBe(true);
  expect(/[`<]/.test(body.slice(20))).toBe(false);
  expect(refs).toContainEqual(expect.objectContaining({ reason: 'active_content', line: 3 }));
  expect(warnings).toEqual([expect.stringContaining('marks than are read')]);
});

it('keeps a long table of names in code', () => {
  const rows = Array.from({ length: 26_000 }, (_, at) => `| \`0x${at}\` | \`reg_${at}\` |\n`).join('');
  const table = `| Address | Name |\n|---|---|\n${rows}`;
  const { body, warnings } = gated(table);
  expect(warnings).toEqual([]);
  expect(body === table).toBe(true);
});

it('removes the invisible characters of a text that has more of them than are found at once', () => {
  const words = 'word\u200b '.repeat(60_000);
  const { body, warnings } = gated(`**Bold** <script>x</script> ${words}`);
  expect(body.startsWith('**Bold** ')).toBe(true);
  expect(/<script|\u200b/.test(body)).toBe(false);
  expect(warnings).toEqual([expect.stringContaining('removed in 60000 places')]);
  // Those that stood there may hide others.
  const more = gated(`${words}wo\u200brd`, { current: words });
  expect(/\u200b/.test(more.body)).toBe(false);
});

it('keeps a long table of HTML', () => {
  const table = `<table>\n${'<tr><td>a</td><td>b</td></tr>\n'.repeat(30_000)}</table>`;
  const { body, warnings } = gated(table);
  expect(warnings).toEqual([]);
  expect(body === table).toBe(true);
});

it('tells a person of a bounded number of changes, the last of them the rest', () => {
  const words = 'word\u200b '.repeat(60_000);
  const { body, changes } = gated(`${words}<script>x</script>`, { mode: 'promote' });
  expect(/<script|\u200b/.test(body)).toBe(false);
  expect(changes.length).toBeLessThan(50_000);
  expect(changes.at(-1)).toMatchObject({ to: words.length + 18 });
  const { body: kept } = gated(words, { mode: 'promote', keep: changes.slice(-1) });
  expect(kept.slice(-6)).toBe('word\u200b ');
});
