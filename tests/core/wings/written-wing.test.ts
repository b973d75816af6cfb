import * as fc from 'fast-check';
import { ingestPages } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { writeNote } from '../../../src/core/notes/write';
import { moveNote } from '../../../src/core/review/move';
import { listPending } from '../../../src/core/review/pending';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { queryNotes } from '../../../src/core/search/query';
import {
  areOneWing,
  hasSigns,
  sanitiseWing,
  spelledWing,
  writtenWing,
} from '../../../src/core/vocabulary/address';
import { indexWings } from '../../../src/core/wings/operations';
import { openTestBrain, person } from '../../support/test-brain';

const HALL = { hall: 'facts' } as const;
const REFUSED = { code: 'invalid_wing', details: { suggested: 'c-plus-plus' } };

describe('the written name of a wing', () => {
  it('is the title of the map that its first note makes, and stays so', async () => {
    const { run, files } = await openTestBrain();
    const made = await run(writeNote, { wing: 'C#', ...HALL, slug: 'a', content: '# A\n' });
    expect(made.path).toBe('wiki/c/facts/a.md');
    expect(files.get('wiki/c/_index.md')).toMatch(/^---\ntype: index\nwing: c\n---\n# C#\n\n<!--/);
    for (const [slug, wing] of Object.entries({ b: 'C#', c: 'c', d: ' c # ', e: 'C' }))
      expect((await run(writeNote, { wing, ...HALL, slug, content: `# ${slug}\n` })).path).toBe(
        `wiki/c/facts/${slug}.md`,
      );
    await run(indexWings, {});
    expect(files.get('wiki/c/_index.md')).toMatch('# C#\n\n<!--');
    const { results } = await run(queryNotes, { query: 'a', wing: 'C#' });
    expect(results.map(({ path }) => path)).toContain('wiki/c/facts/a.md');
  });

  it('refuses another one at every door', async () => {
    const { run, refusal } = await openTestBrain({
      'Own/plan.md': '# Plan\n',
      'raw/plan.md': '# Plan\n',
      'wiki/net/facts/x.md': '# X\n',
    });
    await run(writeNote, { wing: 'C#', ...HALL, slug: 'a', content: '# A\n' });
    const at = { wing: 'C++', ...HALL };
    expect(await refusal(writeNote, { ...at, slug: 'b', content: '# B\n' })).toMatchObject(REFUSED);
    expect(await refusal(capture, { ...at, text: 'B' })).toMatchObject(REFUSED);
    expect(await refusal(promoteNote, { ...at, path: 'raw/plan.md' })).toMatchObject(REFUSED);
    expect(await refusal(adoptNote, { ...at, path: 'Own/plan.md' }, person)).toMatchObject(REFUSED);
    expect(await refusal(moveNote, { ...at, path: 'wiki/net/facts/x.md' }, person)).toMatchObject(REFUSED);
    const page = { title: 'B', content: '# B\n', ...at };
    expect(await refusal(ingestPages, { pages: [page] })).toMatchObject(REFUSED);
    const { path } = await run(writeNote, { wing: 'c-plus-plus', ...HALL, slug: 'b', content: '# B\n' });
    expect(path).toBe('wiki/c-plus-plus/facts/b.md');
  });

  it('refuses a sign beside a wing without one, and takes that of a folder or of a title that a person wrote', async () => {
    const { run, refusal, files } = await openTestBrain({
      'wiki/r-d/facts/x.md': '# X\n',
      'wiki/C#/facts/x.md': '# X\n',
      'wiki/C++/facts/x.md': '# X\n',
      'wiki/f/_index.md': '# F#\n\nMine.\n',
      'wiki/f/facts/x.md': '# X\n',
    });
    const write = { ...HALL, slug: 'y', content: '# Y\n' };
    expect(await refusal(writeNote, { ...write, wing: 'R&D' })).toMatchObject({
      code: 'invalid_wing',
      details: { suggested: 'r-and-d' },
    });
    expect((await run(writeNote, { ...write, wing: 'c++' })).path).toBe('wiki/C++/facts/y.md');
    expect((await run(writeNote, { ...write, wing: 'c#' })).path).toBe('wiki/C#/facts/y.md');
    expect((await run(writeNote, { ...write, wing: 'F#' })).path).toBe('wiki/f/facts/y.md');
    expect(files.get('wiki/f/_index.md')).toMatch('# F#\n\nMine.\n');
  });

  it('is kept in the queue, so that the promotion makes the wing under it', async () => {
    const { run, files } = await openTestBrain();
    await run(capture, { wing: 'C#', text: 'Structs are values.' });
    const [entry] = (await run(listPending)).pending;
    expect(entry?.suggested).toMatchObject({ wing: 'C#' });
    await run(promoteNote, { path: entry?.path ?? '', wing: entry?.suggested.wing ?? '', ...HALL });
    expect(files.get('wiki/c/_index.md')).toMatch('\n# C#\n');
  });
});

describe('two names of a wing', () => {
  const letters = fc.stringMatching(/^[a-zé]{1,6}$/);
  const signs = fc.stringMatching(/^[+#&*%@]{1,3}$/);

  it('are one in any case, with any blanks, dashes and accents', () => {
    fc.assert(
      fc.property(letters, letters, fc.constantFrom('', ' ', '-', '_', ' - '), (one, other, gap) => {
        const name = `${one}${gap}${other}`;
        expect(hasSigns(name)).toBe(false);
        expect(areOneWing(name, name.toUpperCase().replaceAll('É', 'E'))).toBe(true);
        expect(areOneWing(name, sanitiseWing(name))).toBe(true);
      }),
    );
  });

  it('differ when one has other signs, and its words make a wing of its own', () => {
    fc.assert(
      fc.property(letters, signs, signs, (name, one, other) => {
        expect(areOneWing(name + one, name + other)).toBe(one === other);
        expect(areOneWing(name + one, name)).toBe(false);
        expect(spelledWing(name + one)).not.toBe(sanitiseWing(name + one));
        expect(areOneWing(writtenWing(name + one), name + one)).toBe(true);
        expect(hasSigns(spelledWing(name + one))).toBe(false);
      }),
    );
  });
});
