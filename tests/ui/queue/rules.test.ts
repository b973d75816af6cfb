import { CallError } from '../../../src/core/registry/client';
import { fieldOfError, nextSlug, placeRequest } from '../../../src/ui/place/place';
import { parseSource, type Source } from '../../../src/ui/queue/decide';
import { draftOf, matchesFilter, rowHeight } from '../../../src/ui/queue/entry';
import { findingsOf, findingWords, isCut } from '../../../src/ui/queue/gate';
import { isMissing } from '../../../src/ui/queue/problem';
import { readPending } from '../../../src/ui/queue/state';
import { scriptedClient } from '../../support/ui/screen-page';
import { entry } from './entries';

it.each([
  ['invalid_wing', {}, 'wing'],
  ['invalid_hall', {}, 'hall'],
  ['destination_exists', {}, 'slug'],
  ['invalid_slug', {}, 'slug'],
  ['invalid_field', { field: 'hall' }, 'hall'],
  ['invalid_field', { field: 'links' }, null],
  ['internal', {}, null],
])('%s with %j is about %s', (code, details, field) => {
  expect(fieldOfError(new CallError(code, '', details))).toBe(field);
});

it('knows when a note is away', () => {
  expect(
    ['source_missing', 'not_in_queue', 'note_not_found', 'internal'].map((code) =>
      isMissing(new CallError(code, '')),
    ),
  ).toEqual([true, true, true, false]);
});

it.each([
  ['mtu', 'mtu-2'],
  ['mtu-2', 'mtu-3'],
  ['mtu-99', 'mtu-100'],
  ['mtu-1', 'mtu-1-2'],
  ['year-2026', 'year-2026-2'],
])('after %s comes %s', (slug, next) => {
  expect(nextSlug(slug)).toBe(next);
});

describe('findings of the gate', () => {
  const ref = { text: 'x', line: 1, unlinked: true } as const;
  const found = findingsOf([
    { ...ref, target: 'gone', kind: 'wikilink', reason: 'missing' },
    { ...ref, target: 'gone', kind: 'wikilink', reason: 'missing', line: 9 },
    { ...ref, target: 'fine', kind: 'wikilink', unlinked: false, resolved: 'wiki/a/facts/b.md' },
    { ...ref, target: 'mtu', kind: 'mdlink', reason: 'ambiguous', candidates: ['wiki/a/facts/mtu.md'] },
    { ...ref, target: 'img/a.png', kind: 'embed', reason: 'missing' },
    { ...ref, target: 'plan.pdf', kind: 'wikilink', reason: 'missing' },
    { ...ref, target: 'https://x', text: ' ', kind: 'image', reason: 'remote_embed' },
    { ...ref, target: 'dataviewjs', kind: 'code', reason: 'active_content' },
  ]);

  it('are told once each, with what can be done', () => {
    expect(found.map(({ target, remedy }) => [target, remedy])).toEqual([
      ['gone', 'create'],
      ['mtu', 'choose'],
      ['img/a.png', null],
      ['plan.pdf', null],
      ['https://x', null],
      ['dataviewjs', null],
    ]);
    expect(found[4]?.text).toBe('https://x');
  });

  it('are summed up', () => {
    expect(findingWords(found)).toBe('4 links, 1 remote image, 1 active part');
  });

  it('are said to be more where the service names no more', () => {
    const wrong = (length: number) =>
      Array.from({ length }, (_, index) => ({
        ...ref,
        target: `gone ${index}`,
        kind: 'wikilink' as const,
        reason: 'missing' as const,
      }));
    const fine = { ...ref, target: 'fine', kind: 'wikilink', unlinked: false, resolved: 'a.md' } as const;
    expect([wrong(199), wrong(200), [...wrong(199), fine]].map(isCut)).toEqual([false, true, false]);
    expect(findingWords(findingsOf(wrong(200)), true)).toBe('200 or more links');
  });
});

describe('the whole queue', () => {
  const all = Array.from({ length: 450 }, (_, index) => entry(`n${index}`, 1));
  const page = ({ limit = 200, offset = 0 }, from = all) => {
    const pending = from.slice(offset, offset + limit);
    return { count: pending.length, total: from.length, pending };
  };

  it('is read page by page, the beginning told at once', async () => {
    const told: number[] = [];
    const client = scriptedClient({ pending: (ask) => page(ask) });
    const { entries: found } = await readPending(client, true, (first) => told.push(first.entries.length));
    expect(found).toEqual(all);
    expect(told).toEqual([200]);
  });

  it('says that near-equal notes are still looked for when one of its pages was read before', async () => {
    const client = scriptedClient({
      pending: (ask) => ({ ...page(ask), ...(ask.wait === false && ask.offset === 0 && { looking: true }) }),
    });
    const told: boolean[] = [];
    const read = (wait: boolean) => readPending(client, wait, (first) => told.push(first.looking));
    expect(await read(false)).toEqual({ entries: all, looking: true });
    expect(await read(true)).toEqual({ entries: all, looking: false });
    expect(told).toEqual([true, false]);
  });

  it('passes over none when another one is decided on between two pages', async () => {
    let calls = 0;
    const shrinking = scriptedClient({
      pending: (ask) => page(ask, (calls += 1) === 1 ? all : all.filter((_, at) => at !== 7)),
    });
    const told: number[] = [];
    const { entries: found } = await readPending(shrinking, true, (first) => told.push(first.entries.length));
    expect(found).toEqual(all.filter((_, at) => at !== 7));
    expect(told).toEqual([200]);
  });

  it('ends although the queue shrinks with every page', async () => {
    let calls = 0;
    const shrinking = scriptedClient({ pending: (ask) => page(ask, all.slice((calls += 1))) });
    const { entries: found } = await readPending(shrinking, true, () => undefined);
    expect(found.length).toBeGreaterThan(0);
  });

  it('lists a note once that moved between two pages, and ends when notes go meanwhile', async () => {
    let calls = 0;
    const shifting = scriptedClient({
      pending: (ask) => page(ask, (calls += 1) === 1 ? all : [entry('new', 1), ...all.slice(0, 380)]),
    });
    const { entries: found } = await readPending(shifting, true, () => undefined);
    expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
  });
});

it('knows the height of a row by its flags', () => {
  expect(rowHeight(entry('a', 1))).toBe(92);
  expect(rowHeight(entry('a', 1, { warnings: ['x'] }))).toBe(114);
  expect(rowHeight(entry('a', 1, { stale: true }))).toBe(114);
});

it('filters by title, text, path, writer and address', () => {
  const one = entry('mtu', 1, { written_by: 'laptop (claude-code)' });
  expect(
    ['MTU', 'says mtu', 'raw/mtu', 'laptop', 'homelab facts', ' '].every((words) =>
      matchesFilter(one, words),
    ),
  ).toBe(true);
  expect(matchesFilter(one, 'mtu other')).toBe(false);
});

describe('kept findings of a draft', () => {
  const note = entry('dns', 1, { content_hash: 'text' });
  const change = { keep: { of: 'text', findings: 'found', indices: [1] } };

  it('are sent with the hash by which they are counted', () => {
    const draft = draftOf(note, change, 'found');
    expect(placeRequest(note.path, draft, 'facts')).toMatchObject({ keep: [1], findings_hash: 'found' });
    expect(draftOf(note, change)).toEqual(draft);
  });

  it.each([
    ['text', 'other'],
    ['other', 'found'],
  ])('are dropped for the text "%s" with the findings "%s"', (text, findings) => {
    const draft = draftOf({ ...note, content_hash: text }, change, findings);
    const request = placeRequest(note.path, draft, 'facts');
    expect([request.keep, request.findings_hash]).toEqual([undefined, undefined]);
  });
});

it.each<[string, Source]>([
  [
    '[[inbox/processed/2026-11-20/report.pdf#page=3|report.pdf]]',
    { kind: 'file', path: 'inbox/processed/2026-11-20/report.pdf', page: 3, words: 'report.pdf' },
  ],
  [
    '[[inbox/processed/2026-11-20/a note.md.txt|a note.md]]',
    { kind: 'file', path: 'inbox/processed/2026-11-20/a note.md.txt', words: 'a note.md' },
  ],
  ['[[inbox/x.pdf]]', { kind: 'file', path: 'inbox/x.pdf', words: 'x.pdf' }],
  ['[[wiki/net/sources/rfc-1.2|RFC]]', { kind: 'note', path: 'wiki/net/sources/rfc-1.2.md', words: 'RFC' }],
  ['[[papers/report.pdf|report.pdf]]', { kind: 'file', path: 'papers/report.pdf', words: 'report.pdf' }],
  [
    'https://www.example.org/a',
    { kind: 'address', href: 'https://www.example.org/a', words: 'example.org/a' },
  ],
  ['file:report.pdf', { kind: 'words', words: 'report.pdf' }],
  ['javascript:alert(1)', { kind: 'words', words: 'javascript:alert(1)' }],
  ['file:///etc/passwd', { kind: 'words', words: 'file:///etc/passwd' }],
  ['[[]]', { kind: 'words', words: '[[]]' }],
  ['a book', { kind: 'words', words: 'a book' }],
  ['[[a.pdf#page=99999999|a.pdf]]', { kind: 'file', path: 'a.pdf', words: 'a.pdf' }],
])('reads %s', (written, source) => expect(parseSource(written)).toEqual(source));
