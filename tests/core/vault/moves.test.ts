import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import { opens } from '../../../src/core/links/resolve';
import { type LeftLinks, leftLinks, mendLinks } from '../../../src/core/review/left-links';
import { moveNote } from '../../../src/core/review/move';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { stemOf, vaultPath } from '../../../src/core/vocabulary/paths';
import { openFollowed } from '../../support/followed-brain';
import { linksIn } from '../../support/links-in';
import { person } from '../../support/test-brain';

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
const link = fc.oneof(
  {
    arbitrary: fc
      .tuple(fc.constantFrom(...TARGETS), fc.constantFrom('', '#Part', '|w'))
      .map(([target, rest]) => `[[${target}${rest}]]`),
    weight: 3,
  },
  {
    arbitrary: fc.constantFrom('![[Index]]', '[m](Index.md)', '[m](Terms.md)', '[m](../B/Terms.md#part)'),
    weight: 1,
  },
);
const vault = fc
  .uniqueArray(fc.constantFrom(...PATHS), { minLength: 3 })
  .chain((paths) =>
    fc.tuple(
      fc.constant(paths),
      fc.array(fc.array(link, { maxLength: 4 }), { minLength: paths.length, maxLength: paths.length }),
    ),
  )
  .map(([paths, links]) =>
    Object.fromEntries(
      paths.map((path, n) => [
        path,
        `---\nn: n${n}\n---\nNote n${n}.\n\n${(links[n] ?? []).join(' and ')}\n\n## Part\n`,
      ]),
    ),
  );

type Followed = Awaited<ReturnType<typeof openFollowed>>;

function numberAt({ files }: Pick<Followed, 'files'>, path: string | null): string | null {
  return /\nn: (n\d)/.exec(files.get(path ?? '') ?? '')?.[1] ?? null;
}

/** For each note, known by its number, its path and the numbers of the notes that its links open, in order. */
function led(opened: Followed): Map<string, { readonly path: string; readonly links: (string | null)[] }> {
  const catalog = new Catalog();
  for (const path of opened.files.keys()) catalog.addPath(vaultPath(path));
  const notes = [...opened.files].flatMap(([path, text]) => {
    const number = numberAt(opened, path);
    if (number === null) return [];
    const links = linksIn(text.replace(/^---\n[^]*?\n---\n/, '')).map(({ target, kind }) =>
      numberAt(opened, opens(target, vaultPath(path), catalog, kind === 'mdlink' || kind === 'image')),
    );
    return [[number, { path, links }] as const];
  });
  return new Map(notes);
}

const SLUGS = ['terms', 'Terms', 'Index', 'other', 'b'];
const FOLDERS = ['', 'A/', 'B/', 'C/', 'Long/B/', 'wiki/w/facts/', 'wiki/v/facts/'];
const act = fc.record({
  pick: fc.nat(),
  slug: fc.constantFrom(...SLUGS),
  folder: fc.constantFrom(...FOLDERS),
  way: fc.constantFrom('go', 'go', 'back', 'hand', 'hand', 'mend'),
});

function picked(opened: Followed, pick: number): string {
  const notes = [...opened.files.keys()].filter((path) => numberAt(opened, path) !== null).sort();
  return notes[pick % notes.length] ?? '';
}

/** Does an act; one that is refused changes nothing. */
async function does(
  opened: Followed,
  { pick, slug, folder, way }: typeof act extends fc.Arbitrary<infer A> ? A : never,
) {
  const { run, files, move, pass } = opened;
  const path = picked(opened, pick);
  const place = { path, wing: 'w', hall: 'facts', slug } as const;
  const to = `${folder}${slug}.md`;
  if (way === 'mend') await run(mendLinks, {}, person);
  else if (way === 'hand') {
    const isTaken = [...files.keys()].some((each) => each.toLowerCase() === to.toLowerCase());
    if (!isTaken && !path.startsWith('raw/')) move(path, to);
  } else {
    const done =
      way === 'back'
        ? run(unpromoteNote, { path }, person)
        : path.startsWith('wiki/')
          ? run(moveNote, { path, slug }, person)
          : path.startsWith('raw/')
            ? run(promoteNote, place, person)
            : run(adoptNote, place, person);
    await done.catch(() => undefined);
  }
  await pass();
}

it('leads no link to another note, whoever moves notes: what stays behind is named, and mended', async () => {
  await fc.assert(
    fc.asyncProperty(vault, fc.array(act, { minLength: 1, maxLength: 7 }), async (texts, acts) => {
      const opened = await openFollowed(texts);
      const before = led(opened);
      // Links of a note of the queue are proposals, which the gate reads by their meaning.
      const queued = /\nn: (n\d)/.exec(texts['raw/Terms.md'] ?? '')?.[1];
      const check = (named: ReadonlySet<string>): void => {
        for (const [number, { path, links }] of led(opened)) {
          const was = before.get(number)?.links ?? [];
          if (number === queued || was.length !== links.length || named.has(path)) continue;
          for (const [at, former] of was.entries())
            if (former !== null) expect([number, at, links[at]]).toEqual([number, at, former]);
        }
      };
      let left: LeftLinks[] = [];
      for (const each of acts) {
        // A note at the former place takes the links to it; the service goes by what a link opens by now, and by the new place of its note.
        const isCaught = left.some(({ path }) => stemOf(path).toLowerCase() === each.slug.toLowerCase());
        const isAstray = [...led(opened)].some(([number, { links }]) =>
          links.some((now, at) => now !== null && now !== (before.get(number)?.links[at] ?? now)),
        );
        const path = vaultPath(picked(opened, each.pick));
        const isMoved = left.some(({ now, notes }) => now === path || notes.has(path));
        const isByService = each.way === 'go' || each.way === 'back';
        if (isCaught || (isByService && (isAstray || isMoved)) || (each.way === 'back' && left.length > 0))
          await opened.run(mendLinks, {}, person);
        await does(opened, each);
        left = await leftLinks(opened.brain);
        check(new Set(left.flatMap(({ notes }) => [...notes])));
      }
      await opened.run(mendLinks, {}, person);
      expect(await leftLinks(opened.brain)).toEqual([]);
      check(new Set());
      await opened.following.close();
      await opened.close();
    }),
    { numRuns: 60 },
  );
}, 120_000);
