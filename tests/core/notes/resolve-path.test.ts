import fc from 'fast-check';
import { listAudit } from '../../../src/core/audit/list';
import { BrainError } from '../../../src/core/base/errors';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { resolveInputPath, resolveNotePath } from '../../../src/core/notes/targets';
import { updateNote } from '../../../src/core/notes/update';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { inputPath, type VaultPath, zoneOf } from '../../../src/core/vocabulary/paths';
import { openTestBrain } from '../../support/test-brain';

/** Names that no service makes, and people do, where their system takes them. */
const ODD = ['What: a plan', 'Is it 1:1', 'a\\b', 'Wait...', 'ends in a space '];

describe('a note whose name is odd', () => {
  it.each(ODD)('is read, followed, replaced and decided on by its path: %j', async (name) => {
    const queued = `raw/${name}.md`;
    const note = `wiki/net/facts/${name}.md`;
    const { run } = await openTestBrain({ [note]: '# One\n\nBody.\n', [queued]: 'Waiting.\n' });
    expect(await run(getNote, { path: note })).toMatchObject({ path: note, title: 'One' });
    expect(await run(getNote, { path: `/brain/${note}` })).toMatchObject({ path: note });
    await run(updateNote, { path: note, content: 'New.', reason: 'newer' });
    expect(await run(history, { path: note })).toMatchObject({ path: note, versions: [{}, {}] });
    expect((await run(listAudit, { path: note })).entries).toEqual([]);
    expect((await run(listPending, { path: queued })).pending).toHaveLength(1);
    const target = { wing: 'net', hall: 'facts', slug: 'plan' };
    expect(await run(promoteNote, { path: queued, ...target })).toMatchObject({
      path: 'wiki/net/facts/plan.md',
      from: queued,
    });
    // The note has gone from there, but lines of the log may name it.
    expect((await run(listAudit, { path: queued })).entries).toEqual([]);
  });

  it('may be given without its ending, as others may', async () => {
    const { run } = await openTestBrain({ 'raw/What: a plan.md': 'x' });
    expect(await run(rejectNote, { path: 'raw/What: a plan' })).toMatchObject({
      path: 'raw/What: a plan.md',
    });
  });

  it.each(ODD)('is refused where no such note stands: %j', async (name) => {
    const { refusal } = await openTestBrain({ 'wiki/net/facts/plain.md': 'x' });
    const path = `wiki/net/facts/${name}.md`;
    // A name that only the ending makes odd is no other than one without it.
    const code = /[:\\]/.test(name) ? 'path_not_allowed' : 'note_not_found';
    expect(await refusal(getNote, { path })).toMatchObject({ code });
    const waiting = { path: `raw/${name}.md`, wing: 'net', hall: 'facts', slug: 'plan' };
    expect((await refusal(promoteNote, waiting)).code).toMatch(/^path_not_allowed$|^source_missing$/);
  });
});

it('lets no path out of the vault, and no odd one into what is hidden, whatever is said to stand there', () => {
  const everything = { catalog: { taken: (path: VaultPath) => path } };
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'a',
    'b:',
    'c\\d',
    '..\\..',
    '.brain',
    'x.',
    'wiki',
    '\0',
    '.md',
  );
  const given = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('/'));
  fc.assert(
    fc.property(given, fc.constantFrom(resolveInputPath, resolveNotePath), (text, take) => {
      let path: VaultPath;
      try {
        path = take(everything, text);
      } catch (error) {
        expect(error).toBeInstanceOf(BrainError);
        return;
      }
      expect(path).not.toMatch(/\0|^\/|\/\/|\/$|^$/);
      for (const segment of path.split(/[\\/]/)) expect(segment).not.toMatch(/^\.{1,2}$/);
      if (isOdd(path)) expect(zoneOf(path)).not.toBe('hidden');
    }),
    { numRuns: 5000 },
  );
});

/** True for a path that is taken only because something stands there. */
function isOdd(path: VaultPath): boolean {
  try {
    return inputPath(path) !== path;
  } catch {
    return true;
  }
}
