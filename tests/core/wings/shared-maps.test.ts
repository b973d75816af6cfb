import { timestamp } from '../../../src/core/base/time';
import { writeNote } from '../../../src/core/notes/write';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { indexWings } from '../../../src/core/wings/operations';
import { refreshWingIndex } from '../../../src/core/wings/refresh';
import { openTestBrain } from '../../support/test-brain';

const wing = sanitiseWing('net');
const MAP = 'wiki/net/_index.md';
const files = { 'wiki/net/facts/a.md': '# Alpha\n' };
const note = (slug: string) => ({ wing, hall: 'facts', slug, content: `# ${slug}\n\nText of ${slug}.\n` });

describe('writes at the same time', () => {
  it('share the making of a map, and each finds its note in it when it is answered', async () => {
    const { run, vault, files: after } = await openTestBrain(files);
    const put = vault.putDerived.bind(vault);
    let made = 0;
    vault.putDerived = async (...given) => {
      made += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return put(...given);
    };
    const slugs = Array.from({ length: 12 }, (_, n) => `note-${n}`);
    await Promise.all(
      slugs.map(async (slug) => {
        await run(writeNote, note(slug));
        expect(after.get(MAP)).toContain(`[[wiki/net/facts/${slug}|`);
      }),
    );
    expect(made).toBeLessThan(slugs.length / 2);
  });

  it('share an append to the log of changes, which has them all when they are answered', async () => {
    const { brain, run, state, clock } = await openTestBrain(files);
    const since = timestamp(clock.now());
    const append = state.append.bind(state);
    let appends = 0;
    state.append = async (path, text, sync) => {
      if (path.startsWith('past/')) appends += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return append(path, text, sync);
    };
    const slugs = Array.from({ length: 12 }, (_, n) => `note-${n}`);
    await Promise.all(slugs.map((slug) => run(writeNote, note(slug))));
    const logged = (await (await brain.past.read()).since(since)).flatMap(({ notes }) =>
      notes.map(({ path }) => path),
    );
    expect(logged.sort()).toEqual(slugs.map((slug) => `wiki/net/facts/${slug}.md`).sort());
    expect(appends).toBeLessThan(slugs.length / 2);
  });
});

describe('a map that was written before', () => {
  it('is not read again, unless somebody has changed it since', async () => {
    const { run, vault, files: after } = await openTestBrain(files);
    await run(writeNote, note('one'));
    const read = vault.read.bind(vault);
    let reads = 0;
    vault.read = async (path) => {
      if (path === MAP) reads += 1;
      return read(path);
    };
    await run(writeNote, note('two'));
    expect(reads).toBe(0);
    after.set(MAP, `${after.get(MAP) ?? ''}Mine.\n`);
    await run(writeNote, note('three'));
    expect(after.get(MAP)).toMatch(/facts\/three\|[^]*Mine\.\n$/);
    after.delete(MAP);
    await run(writeNote, note('four'));
    expect(after.get(MAP)).toContain('facts/four|');
  });

  it('is looked at when nothing in it is to be changed, as nobody knows what has become of it', async () => {
    const { brain, run, files: after } = await openTestBrain(files);
    await run(writeNote, note('one'));
    const whole = after.get(MAP);
    expect((await refreshWingIndex(brain, wing)).changed).toBe(false);
    after.delete(MAP);
    expect((await run(indexWings)).wings).toEqual([{ wing, path: MAP, notes: 2, changed: true }]);
    expect(after.get(MAP)).toBe(whole);
  });
});
