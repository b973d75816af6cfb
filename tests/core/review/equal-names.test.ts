import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import { opens } from '../../../src/core/links/resolve';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { moveNote } from '../../../src/core/review/move';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { linksIn } from '../../support/links-in';
import { openTestBrain, person, type TestBrain } from '../../support/test-brain';

const PATHS = [
  'Terms.md',
  'A/Terms.md',
  'B/Terms.md',
  'Long/B/Terms.md',
  'A/Index.md',
  'B/Index.md',
  'raw/Terms.md',
];
const TARGETS = ['Terms', 'terms', 'Index', 'A/Terms', 'B/Terms', 'B/Index', '../A/Terms', './Terms'];
const wikilink = fc
  .tuple(fc.constantFrom(...TARGETS), fc.constantFrom('', '#Part'))
  .map(([target, rest]) => `[[${target}${rest}]]`);
// A link that has its own words, or shows none, comes back by its form alone, so these have the one that the service writes.
const link = fc.oneof(
  { arbitrary: wikilink, weight: 4 },
  {
    arbitrary: fc.constantFrom(
      '[[Index|w]]',
      '[[A/Terms|w]]',
      '![[Index]]',
      '[m](Index.md)',
      '[m](Terms.md)',
    ),
    weight: 1,
  },
);
const vault = fc
  .uniqueArray(fc.constantFrom(...PATHS), { minLength: 3 })
  .chain((paths) =>
    fc.tuple(
      fc.constant(paths),
      fc.array(fc.array(link, { maxLength: 4 }), { minLength: paths.length, maxLength: paths.length }),
      fc.array(link, { maxLength: 2 }),
    ),
  )
  .map(([paths, links, up]) =>
    Object.fromEntries(
      paths.map((path, n) => [
        path,
        `---\nn: n${n}\nup: ${JSON.stringify(up)}\n---\nNote n${n}.\n\n${(links[n] ?? []).join(' and ')}\n\n## Part\n`,
      ]),
    ),
  );

/** For each note, known by its number, the numbers of the notes that its links open, in order. */
function led({ files }: TestBrain): Map<string, (string | null)[]> {
  const catalog = new Catalog();
  for (const path of files.keys()) catalog.addPath(vaultPath(path));
  const numberOf = (path: string | null) => /\nn: (n\d)/.exec(files.get(path ?? '') ?? '')?.[1] ?? null;
  const notes = [...files].flatMap(([path, text]) => {
    const number = numberOf(path);
    if (number === null) return [];
    const all = linksIn(text.replace(/^---\n[^]*?\n---\n/, '')).map(({ target, kind }) =>
      numberOf(opens(target, vaultPath(path), catalog, kind === 'mdlink' || kind === 'image')),
    );
    return [[number, all] as const];
  });
  return new Map(notes);
}

const SLUGS = ['terms', 'Terms', 'Index', 'other', 'b'];

describe('notes with equal names', () => {
  it('are led to by the links that led to them, whatever moves and comes back', async () => {
    const act = fc.tuple(fc.nat(), fc.constantFrom(...SLUGS), fc.constantFrom('go', 'go', 'back'));
    await fc.assert(
      fc.asyncProperty(vault, fc.array(act, { minLength: 1, maxLength: 6 }), async (texts, acts) => {
        const opened = await openTestBrain(texts);
        const { run, files } = opened;
        const before = led(opened);
        for (const [pick, slug, way] of acts) {
          const notes = [...files.keys()].filter((path) => /\nn: n\d/.test(files.get(path) ?? '')).sort();
          const path = notes[pick % notes.length] ?? '';
          const place = { path, wing: 'w', hall: 'facts', slug } as const;
          const done =
            way === 'back'
              ? run(unpromoteNote, { path }, person)
              : path.startsWith('wiki/')
                ? run(moveNote, { path, slug }, person)
                : path.startsWith('raw/')
                  ? run(promoteNote, place, person)
                  : run(adoptNote, place, person);
          await done.catch(() => undefined);
          for (const [number, now] of led(opened)) {
            // Links of a note of the queue are proposals, which the gate reads by their meaning.
            if (/\nn: (n\d)/.exec(texts['raw/Terms.md'] ?? '')?.[1] === number) continue;
            const was = before.get(number) ?? [];
            if (was.length !== now.length) continue;
            for (const [at, former] of was.entries())
              if (former !== null) expect([number, at, now[at]]).toEqual([number, at, former]);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are as they were, byte for byte, when all were adopted and given back', async () => {
    await fc.assert(
      fc.asyncProperty(vault, fc.array(fc.nat(), { minLength: 14, maxLength: 14 }), async (texts, order) => {
        const { run, files } = await openTestBrain(texts);
        const owners = Object.keys(texts).filter((path) => !path.startsWith('raw/'));
        const shuffled = (paths: readonly string[], from: number): string[] =>
          [...paths].sort(
            (a, b) => (order[paths.indexOf(a) + from] ?? 0) - (order[paths.indexOf(b) + from] ?? 0),
          );
        const places: string[] = [];
        for (const [n, path] of shuffled(owners, 0).entries()) {
          const place = { path, wing: 'w', hall: 'facts', slug: `note-${n}` } as const;
          places.push((await run(adoptNote, place, person)).path);
        }
        for (const path of shuffled(places, 7)) await run(unpromoteNote, { path }, person);
        for (const [path, text] of Object.entries(texts))
          expect([path, files.get(path)]).toEqual([path, text]);
      }),
      { numRuns: 40 },
    );
  });
});
