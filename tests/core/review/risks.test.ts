import * as fc from 'fast-check';
import { finish, inSlices } from '../../../src/core/base/steps';
import { AlikeNotes, areNear, sketchSteps } from '../../../src/core/catalog/alike';
import { isActiveRef } from '../../../src/core/gate/finding';
import { actingSteps, gate } from '../../../src/core/gate/gate';
import { NO_TARGETS, NOWHERE } from '../../../src/core/links/resolve';
import type { TextThreads } from '../../../src/core/ports/ports';
import { listPending } from '../../../src/core/review/pending';
import { mayBeActive } from '../../../src/core/review/risks';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openTestBrain } from '../../support/test-brain';

const near = (one: string, other: string) => areNear(finish(sketchSteps(one)), finish(sketchSteps(other)));
const words = fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 40, maxLength: 400 });

describe('near-equal texts', () => {
  it('share most of their pairs of words', () => {
    const text = 'The tunnel to the office has an MTU of 1420 since WireGuard was set up in May';
    expect(near(text, text.replace('1420', '1380'))).toBe(true);
    expect(near(text, `# ${text.toUpperCase()}!`)).toBe(true);
    expect(near(text, 'The printer in the office has a queue of its own since it was set up in June')).toBe(
      false,
    );
    expect(near('Notes', 'Notes')).toBe(false);
  });

  it('are near themselves with one word changed, and never near a text of other words', () => {
    fc.assert(
      fc.property(words, fc.nat(), (text, at) => {
        const changed = text.map((word, place) => (place === at % text.length ? 'CHANGED' : word));
        expect(near(text.join(' '), changed.join(' '))).toBe(true);
        expect(near(text.join(' '), text.map((word) => `${word}q0`).join(' '))).toBe(false);
      }),
    );
  });

  it('are named by each other while both are there', () => {
    const name = fc.constantFrom(...'abcdef').map((letter) => vaultPath(`raw/${letter}.md`));
    const act = fc.record({ path: name, text: fc.constantFrom('one', 'two', null) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), (acts) => {
        const alike = new AlikeNotes();
        const there = new Map<string, string>();
        for (const { path, text } of acts) {
          if (text === null) alike.remove(path);
          else alike.add({ path, content_key: text }, []);
          if (text === null) there.delete(path);
          else there.set(path, text);
          for (const [one, said] of there) {
            const others = [...there].filter(([other, also]) => other !== one && also === said);
            expect(alike.of(vaultPath(one))).toEqual(others.map(([other]) => other).sort());
          }
        }
      }),
    );
  });
});

it('looks for what acts in every text in which the gate would find it, and finds the same', () => {
  const piece = fc.constantFrom(
    ...[
      '<script>',
      '<b',
      '&lt;',
      '```js\n',
      '~~~dataview\n',
      '`= 1`',
      '`$= 1`',
      '![',
      ']',
      '(',
      ')',
      '[',
      'a',
      ' ',
      '\n',
      '%%',
    ],
    ...[
      'javascript:x',
      'https://example.org/a.png',
      ']: ',
      '![[x]]',
      '<%',
      '%>',
      '    ',
      '$$',
      '\\',
      '> ',
      '- ',
      '[[a]]',
      '|',
      '^',
      '\u200b',
      '[[x:y]]',
      '[[%3a]]',
      '[[\\\\h]]',
      '[[/ /h]]',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const body = pieces.join('');
      const { refs } = gate({
        body,
        from: NOWHERE,
        targets: NO_TARGETS,
        mode: 'promote',
        activeContent: true,
      });
      const found = refs.some(isActiveRef);
      if (found) expect(mayBeActive(body)).toBe(true);
      expect(finish(actingSteps(body, true))?.length !== 0).toBe(found);
    }),
    { numRuns: 1000 },
  );
});

describe('the risks of a queued note', () => {
  const plain = 'The router answers on port 8443 and is restarted every night at four.';
  const risksOf = async (files: Record<string, string>, path = 'raw/2026-11-01-note.md') => {
    const { run } = await openTestBrain({ 'raw/2026-11-01-note.md': plain, ...files });
    const { pending } = await run(listPending, { path, similar: false });
    const { risks, collision, same } = pending[0] ?? {};
    return { risks, ...(collision !== undefined && { collision }), same };
  };
  const note = (text: string) => ({ 'raw/2026-11-01-note.md': text });

  it.each<[string, Record<string, string>, string[]]>([
    ['nothing', {}, []],
    ['code that runs', note('Look:\n\n```dataviewjs\nx()\n```'), ['active_content']],
    ['a bare link that acts', note('See Obsidian://open?vault=x.'), ['active_content']],
    ['an image from elsewhere', note('![x](https://example.org/x.png)'), ['active_content']],
    [
      'a tag behind many links to nothing',
      note(`${'[[x]] '.repeat(250)}<script>`),
      ['active_content', 'link_removed'],
    ],
    ['a hidden tag', note('Look: <scr\u200bipt src=x>'), ['active_content']],
    [
      'a link that acts unless a note has its name',
      note('See [[net:mtu]].'),
      ['active_content', 'link_removed'],
    ],
    [
      'a link to a note with a colon',
      { ...note('See [[net:mtu#a]].'), 'wiki/net/facts/m.md': '# net:mtu\n' },
      [],
    ],
    ['template code in a property', note('---\nx: "<% y %>"\n---\nText'), ['active_content']],
    ['plain code', note('Run `npm ci` and\n\n```js\nx()\n```'), []],
    ['a link to nothing', note('See [[Nowhere]].'), ['link_removed']],
    ['a link to the queue', { ...note('See [[raw/other]].'), 'raw/other.md': 'Other' }, ['link_removed']],
    ['a link to a note', { ...note('See [[dns]].'), 'wiki/net/facts/dns.md': 'DNS' }, []],
    ['no quote that was found', note('---\nevidence: unverified\n---\nText'), ['unverified']],
    ['a rejected twin', { 'raw/rejected/old.md': plain }, ['rejected_before']],
    ['a reviewed twin', { 'wiki/net/facts/twin.md': plain }, ['near_duplicate']],
    [
      'a reviewed note of its title with nearly its text',
      {
        ...note(`---\ntitle: Router\n---\n${plain}`),
        'wiki/net/facts/x.md': `---\ntitle: Router\n---\n${plain.replace('8443', '443')}`,
      },
      ['near_duplicate'],
    ],
  ])('are, for %s, %s', async (_, files, risks) => {
    expect(await risksOf(files)).toEqual({ risks, same: [] });
  });

  it('name the note at the suggested address', async () => {
    const files = {
      ...note('---\nwing: NET\nhall: facts\n---\nText'),
      'wiki/Net/facts/Note.md': 'Taken',
    };
    expect(await risksOf(files)).toEqual({
      risks: ['collision'],
      collision: 'wiki/Net/facts/Note.md',
      same: [],
    });
  });

  it('name near-equal notes in the queue, also after one has changed or gone', async () => {
    const other = plain.replace('four', 'five');
    const { run, vault, clock } = await openTestBrain({
      'raw/a.md': plain,
      'raw/b.md': other,
      'raw/c.md': 'Else',
    });
    const same = async () =>
      Object.fromEntries((await run(listPending)).pending.map((entry) => [entry.path, entry.same]));
    expect(await same()).toEqual({ 'raw/a.md': ['raw/b.md'], 'raw/b.md': ['raw/a.md'], 'raw/c.md': [] });
    clock.advance(1000);
    vault.outside('raw/c.md', plain.toUpperCase());
    expect(await same()).toMatchObject({ 'raw/c.md': ['raw/a.md', 'raw/b.md'] });
    clock.advance(1000);
    vault.outside('raw/b.md', 'Nothing that the others say');
    expect(await same()).toEqual({ 'raw/a.md': ['raw/c.md'], 'raw/b.md': [], 'raw/c.md': ['raw/a.md'] });
  });

  it('come at once when asked to, saying that near-equal notes are still looked for', async () => {
    const { run, vault } = await openTestBrain({ 'raw/a.md': plain, 'raw/b.md': `${plain} ` });
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const read = vault.read.bind(vault);
    jest.spyOn(vault, 'read').mockImplementation(async (path) => {
      if (path === 'raw/b.md') await released;
      return read(path);
    });
    const first = { limit: 1, similar: false };
    const quick = await run(listPending, { ...first, wait: false });
    expect(quick).toMatchObject({
      total: 2,
      looking: true,
      pending: [{ path: 'raw/a.md', risks: [], same: [] }],
    });
    const whole = run(listPending, first);
    expect(await Promise.race([whole, run(listPending, { ...first, wait: false })])).toEqual(quick);
    release();
    const known = await whole;
    expect(known.pending).toMatchObject([{ risks: ['near_duplicate'], same: ['raw/b.md'] }]);
    expect(known.looking).toBeUndefined();
    expect(await run(listPending, { ...first, wait: false })).toEqual(known);
  });

  it('take one look at each long text of the queue, and only the beginning of it for similar notes', async () => {
    const looks: string[] = [];
    const textThreads: TextThreads = {
      async run({ task, text, here }) {
        looks.push(`${task} ${text.length}`);
        return inSlices(here(), { run: async (work) => work() });
      },
    };
    const body = (n: number) =>
      `# Note ${n}\n\nSee [[dns]], [[dns#No ${n}]] and [[Nowhere ${n}]].\n\n\`\`\`js\nx < ${n}\n\`\`\`\n\n${`Words of ${n} here. `.repeat(5000)}\n`;
    const bodies = [1, 2, 3].map(body);
    const files = Object.fromEntries(bodies.map((text, n) => [`raw/2026-11-0${n + 1}-n.md`, text]));
    const { run } = await openTestBrain({ ...files, 'wiki/net/facts/dns.md': 'DNS' }, {}, undefined, {
      textThreads,
    });
    looks.length = 0;
    const first = await run(listPending);
    const lengths = bodies.map(({ length }) => length);
    const expected = lengths.flatMap((length) => [`acting ${length}`, 'facts 40000']);
    expect(looks.sort()).toEqual(expected.sort());
    expect(first.pending.map(({ risks }) => risks)).toEqual(Array(3).fill(['link_removed']));
    expect(await run(listPending)).toEqual(first);
    expect(looks).toHaveLength(expected.length);
  });
});
