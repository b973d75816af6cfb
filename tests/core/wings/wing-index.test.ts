import { sha256 } from '../../../src/core/base/hash';
import { writeNote } from '../../../src/core/notes/write';
import { historyPath } from '../../../src/core/storage/history';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { isOurMap, wingIndexText } from '../../../src/core/wings/map';
import { indexWings, listWings } from '../../../src/core/wings/operations';
import { makeMapsWhole, refreshWingIndex, refreshWings } from '../../../src/core/wings/refresh';
import { silentLog } from '../../support/silent-log';
import { openTestBrain } from '../../support/test-brain';
import { searchNotes } from '../../support/search-notes';

const START = '<!-- brain:index:start -->';
const END = '<!-- brain:index:end -->';
const wing = sanitiseWing('net');
const empty = { wing, halls: [], tunnels: new Map() };
const region = `${START}\n_No notes yet._\n${END}`;

describe('the text of an index', () => {
  it.each<[string, string | null, string]>([
    ['a new one', null, `---\ntype: index\nwing: net\n---\n# net\n\n${region}\n`],
    [
      'hand-written text around the region',
      `Before\r\n${START}\nold\n${END}\nAfter`,
      `Before\r\n${region}\nAfter`,
    ],
    ['no markers', '# Mine', `# Mine\n\n${region}\n`],
    ['an empty file, which a cut write leaves', '', `---\ntype: index\nwing: net\n---\n# net\n\n${region}\n`],
    ['a start without an end', `a\n${START}\nb\n`, `a\n${START}\nb\n\n${region}\n`],
    ['an end before the start', `${END}\n${START}\nb\n`, `${END}\n${START}\nb\n\n${region}\n`],
  ])('%s', (_, current, expected) => {
    const { text } = wingIndexText(current, empty);
    expect(text).toBe(expected);
  });

  it('does not change a second time, and is a person’s as soon as one wrote into it', () => {
    const made = wingIndexText(null, empty);
    expect(wingIndexText(made.text, empty)).toEqual({ text: made.text, warning: null, handWritten: false });
    expect(wingIndexText(`${made.text}mine`, empty)).toMatchObject({
      text: `${made.text}mine`,
      handWritten: true,
    });
  });

  it.each([wing, sanitiseWing('2024-01'), sanitiseWing('知識')])(
    'is whole again wherever it was cut, of the wing %s',
    (cutWing) => {
      const hall = 'facts' as const;
      const path = vaultPath(`wiki/${cutWing}/facts/橋.md`);
      const text = `- [[wiki/${cutWing}/facts/橋|橋 & more]] — A &lt;b> \\[x\\] %\\% — 12 (3)\n- [[wiki/${cutWing}/facts/b|B]]`;
      const full = {
        wing: cutWing,
        halls: [
          { hall, count: 12, text },
          { hall: 'hypotheses' as const, count: 1, text: `- [[${path.slice(0, -3)}|]]` },
        ],
        tunnels: new Map([[sanitiseWing('home'), 12]]),
      };
      for (const contents of [full, { ...empty, wing: cutWing }]) {
        const whole = wingIndexText(null, contents);
        for (const padding of ['', '\0\0\0']) {
          const ends = padding === '' ? whole.text.length : 1;
          for (let end = 0; end < ends; end += 1) {
            const cut = whole.text.slice(0, end) + padding;
            expect({ cut, ...wingIndexText(cut, contents) }).toEqual({ cut, ...whole });
            expect(end === 0 || isOurMap(cutWing, cut)).toBe(true);
          }
        }
        // What a person wrote above it stays where it is.
        const mine = (map: string) => `My own words.\n\n${map.slice(map.indexOf(START))}`;
        for (
          let end = mine(whole.text).indexOf(START) + START.length;
          end < mine(whole.text).length - 1;
          end += 1
        ) {
          const { text: mended, warning } = wingIndexText(mine(whole.text).slice(0, end), contents);
          if (!mine(whole.text).slice(0, end).includes(END))
            expect({ end, mended, warning }).toEqual({ end, mended: mine(whole.text), warning: null });
        }
      }
    },
  );

  it.each([
    ['words beside the start', `${START} mine`],
    ['a line of a person', `${START}\n## Facts (1)\n- [[wiki/net/facts/a|A]]\nMine.\n`],
    ['a beginning of a line of a person', `${START}\n## Facts (1)\n- mine`],
    ['a title of a person', `${START}\n## Facts (all)\n`],
    ['a row of a person', `${START}\n- [[wiki/net/facts/a|A]], which I doubt\n- [[wiki/net/facts/b|B]]\n`],
  ])('is not taken for one that was cut when it holds %s', (_, current) => {
    const { text, warning } = wingIndexText(current, empty);
    expect(text.startsWith(current)).toBe(true);
    expect(warning).toMatch(/nothing was deleted/);
  });

  it('quotes a wing that YAML would read as something else', () => {
    expect(wingIndexText(null, { ...empty, wing: sanitiseWing('no') }).text).toMatch('\nwing: "no"\n');
    expect(wingIndexText(null, { ...empty, wing: sanitiseWing('2024-01') }).text).toMatch(
      '\nwing: "2024-01"\n',
    );
  });
});

const files = {
  'wiki/net/facts/b.md': '# beta [x]|y\n\nSecond.\n',
  'wiki/net/facts/a.md': '# Alpha\n\nFirst.\n',
  'wiki/net/decisions/c.md':
    '---\nhalf_life: volatile\nclaim_provenance: asserted\ncreated_at: 2026-01-01T00:00:00Z\n---\n# Gamma\n',
  'wiki/net/deep/er/d.md': '# Not an address\n',
  'wiki/home/facts/e.md': '# Epsilon\n',
  'wiki/loose.md': '# Loose\n',
};

describe('index', () => {
  it('makes the map of every wing, halls in order, notes by folded title', async () => {
    const { run, files: after } = await openTestBrain(files);
    expect(await run(indexWings)).toEqual({
      count: 2,
      wings: [
        { wing: 'home', path: 'wiki/home/_index.md', notes: 1, changed: true },
        { wing: 'net', path: 'wiki/net/_index.md', notes: 3, changed: true },
      ],
    });
    expect(after.get('wiki/net/_index.md')).toMatch(
      `${START}\n## Facts (2)\n- [[wiki/net/facts/a|Alpha]] — First.\n- [[wiki/net/facts/b|beta (x)/y]] — Second.\n## Decisions (1)\n- [[wiki/net/decisions/c|Gamma]]\n${END}`,
    );
    expect((await run(indexWings, { wing: 'Net' })).wings).toEqual([
      { wing: 'net', path: 'wiki/net/_index.md', notes: 3, changed: false },
    ]);
  });

  it('says which maps it could not make, and with which something was wrong', async () => {
    const { brain, run, refusal, files: after } = await openTestBrain(files);
    await run(indexWings);
    const read = brain.vault.read.bind(brain.vault);
    brain.vault.read = async (path) => {
      if (path === 'wiki/home/_index.md') throw new Error('EIO: /home/me/vault');
      return read(path);
    };
    const whole = after.get('wiki/net/_index.md') ?? '';
    after.set('wiki/net/_index.md', `${whole.slice(0, whole.indexOf(START))}${START}\nMy own words.\n`);
    const { warnings: ahead } = await run(indexWings, { dry_run: true });
    expect(ahead).toEqual([
      'The map of home was left as it is. It could not be read or written: see the log.',
    ]);
    const { count, warnings } = await run(indexWings);
    expect(count).toBe(1);
    expect(warnings).toEqual([
      'The map of home was left as it is. It could not be read or written: see the log.',
      expect.stringMatching(/is kept as \.brain\/|nothing was deleted/),
    ]);
    expect(await run(indexWings, { wing: 'net' })).not.toHaveProperty('warnings');
    await expect(refusal(indexWings, { wing: 'home' })).rejects.toThrow();
  });

  it('leaves the vault alone in a dry run, and refuses an unknown wing', async () => {
    const { run, refusal, files: after } = await openTestBrain(files);
    expect((await run(indexWings, { dry_run: true })).wings.map(({ changed }) => changed)).toEqual([
      true,
      true,
    ]);
    expect([...after.keys()].sort()).toEqual(Object.keys(files).sort());
    expect(await refusal(indexWings, { wing: 'none' })).toMatchObject({
      code: 'invalid_wing',
      details: { wings: ['home', 'net'] },
    });
  });

  it('is brought up to date at start where it is ours, and made nowhere else', async () => {
    const stale = `# net\n\n${START}\nold\n${END}\n`;
    const { files: after } = await openTestBrain({ ...files, 'wiki/net/_index.md': stale });
    expect(after.get('wiki/net/_index.md')).toMatch('- [[wiki/net/facts/a|Alpha]] — First.');
    expect(after.has('wiki/home/_index.md')).toBe(false);
    // Emptied by a cut, beside a note of ours.
    const note = '---\norigin: mcp\nwritten_by: laptop\n---\n# Beta\n';
    const cut = { ...files, 'wiki/net/facts/b.md': note, 'wiki/net/_index.md': '' };
    const { files: mended } = await openTestBrain(cut);
    expect(mended.get('wiki/net/_index.md')).toMatch(/^---\ntype: index\nwing: net\n---\n# net\n\n[^]*Beta/);
  });

  it('is mended at start where it was cut, whatever is left of it', async () => {
    const whole = await openTestBrain(files);
    await whole.run(indexWings);
    const map = whole.files.get('wiki/net/_index.md') ?? '';
    for (const cut of [map.slice(0, 5), map.slice(0, map.indexOf(START) + 3), map.slice(0, -40)]) {
      const { files: after } = await openTestBrain({ ...files, 'wiki/net/_index.md': cut });
      expect(after.get('wiki/net/_index.md')).toBe(map);
    }
  });

  it.each([
    ['a row that nothing of ours gives', '- [[wiki/net/facts/a|Alpha]] — my own reminder: call Bob\n'],
    ['such a row at the end', '## Facts (2)\n- [[wiki/net/facts/a|Alpha]] — my own reminder: call Bob'],
    ['a row of a note that has gone', '- [[wiki/net/facts/gone|Gone]] — Was here.\n'],
    ['words after a link at the end', '- [[wiki/net/facts/a|Alpha]], which I doubt'],
  ])('has in the history, and says so, what it replaced in a region without an end: %s', async (_, lines) => {
    const { brain, run, files: after, state } = await openTestBrain(files);
    await run(indexWings);
    const whole = after.get('wiki/net/_index.md') ?? '';
    const cut = `${whole.slice(0, whole.indexOf(START))}${START}\n${lines}`;
    after.set('wiki/net/_index.md', cut);
    const kept = historyPath(sha256(cut));
    expect((await refreshWingIndex(brain, wing, { dryRun: true })).changed).toBe(true);
    expect(state.files.has(kept)).toBe(false);
    const logged = jest.spyOn(brain.log, 'warn');
    const { warning } = await refreshWingIndex(brain, wing);
    expect(warning).toMatch(`is kept as .brain/${kept}`);
    expect(logged.mock.calls).toEqual([['wing_index.warning', { wing, message: warning }]]);
    expect(state.files.get(kept)).toBe(cut);
    expect(after.get('wiki/net/_index.md')).toBe(whole);
  });

  it('keeps nothing of a region without an end that holds only what is made again', async () => {
    const { brain, run, files: after, state } = await openTestBrain(files);
    await run(indexWings);
    const whole = after.get('wiki/net/_index.md') ?? '';
    for (const left of [
      whole.replace(`${END}\n`, ''),
      whole.slice(0, -50),
      whole.replace('(2)', '(17)').slice(0, -50),
    ]) {
      after.set('wiki/net/_index.md', left);
      const { warning } = await refreshWingIndex(brain, wing);
      expect([warning, after.get('wiki/net/_index.md')]).toEqual([null, whole]);
      expect(state.files.has(historyPath(sha256(left)))).toBe(false);
    }
  });

  it('leaves the map as it is where the history takes nothing', async () => {
    const cut = `${START}\n- [[wiki/net/facts/a|Alpha]] — mine\n`;
    const { brain, files: after, state } = await openTestBrain(files);
    after.set('wiki/net/_index.md', cut);
    state.create = () => Promise.reject(new Error('ENOSPC'));
    await expect(refreshWingIndex(brain, wing)).rejects.toThrow('ENOSPC');
    expect(after.get('wiki/net/_index.md')).toBe(cut);
  });

  it('is never searched or listed', async () => {
    const { run, brain } = await openTestBrain(files);
    await run(indexWings);
    expect(searchNotes(brain.catalog, 'alpha', { limit: 10 }).map(({ record }) => record.path)).toEqual([
      'wiki/net/facts/a.md',
    ]);
  });
});

it('lists the wings with their halls and what is stale', async () => {
  const { run } = await openTestBrain(files);
  expect(await run(listWings)).toEqual({
    wings: [
      {
        wing: 'home',
        notes: 1,
        stale: 0,
        halls: { facts: 1, decisions: 0, failures: 0, hypotheses: 0, sources: 0 },
      },
      {
        wing: 'net',
        notes: 3,
        stale: 1,
        halls: { facts: 2, decisions: 1, failures: 0, hypotheses: 0, sources: 0 },
      },
    ],
  });
});

describe('a map that a person has changed since the service wrote it last', () => {
  const INDEX = 'wiki/net/_index.md';
  const words = 'My own words.\n\n';
  const note = { wing: 'net', hall: 'facts', slug: 'new', content: '# new\n' };
  const changes: [string, (map: string) => string | null][] = [
    ['words above', (map) => `${words}${map}`],
    ['words below', (map) => `${map}${words}`],
    ['rows that are gone', (map) => `${words}${map.replace(/^- .*\n/gm, '')}`],
    ['nothing but words', () => words],
    ['no map any more', () => null],
  ];
  const edited = async (change: (map: string) => string | null) => {
    const world = await openTestBrain(files);
    await world.run(writeNote, note);
    const text = change(world.files.get(INDEX) ?? '');
    // Nobody tells the service of it.
    if (text === null) world.files.delete(INDEX);
    else world.files.set(INDEX, text);
    return world;
  };
  const rows = (map = '') => map.match(/^- \[\[wiki\/net\//gm)?.length;

  it.each(changes)('is made from what stands there, at once: %s', async (_, change) => {
    const { run, files: after } = await edited(change);
    const dry = await run(indexWings, { wing: 'net', dry_run: true });
    const answer = await run(indexWings, { wing: 'net' });
    expect(answer).toEqual(dry);
    expect(answer).not.toHaveProperty('warnings');
    expect(rows(after.get(INDEX))).toBe(4);
    expect(after.get(INDEX)?.includes(words)).toBe(change('') !== null);
    expect((await run(indexWings, { wing: 'net' })).wings).toMatchObject([{ changed: false }]);
  });

  it.each(changes)('is made so by a write too: %s', async (_, change) => {
    const { run, files: after } = await edited(change);
    expect((await run(writeNote, { ...note, slug: 'newer', content: '# newer\n' })).warnings).toEqual([]);
    expect(rows(after.get(INDEX))).toBe(5);
    expect(after.get(INDEX)?.includes(words)).toBe(change('') !== null);
  });
});

describe('a person who saves the map while it is brought up to date', () => {
  const INDEX = vaultPath('wiki/net/_index.md');
  const note = (slug: string) => ({ wing: 'net', hall: 'facts', slug, content: `# ${slug}\n` });

  it('keeps what was saved, and has the note in the map all the same', async () => {
    const { run, files: after, vault } = await openTestBrain(files);
    await run(indexWings);
    let saves = 0;
    vault.intercept = (call) => {
      if (call !== 'putDerived' || (saves += 1) > 3) return;
      vault.outside(INDEX, `Mine ${saves}.\n${after.get(INDEX) ?? ''}`);
    };
    const { warnings } = await run(writeNote, note('new'));
    expect(warnings).toEqual([]);
    expect(after.get(INDEX)).toMatch(
      /^Mine 3\.\nMine 2\.\nMine 1\.\n---[^]*- \[\[wiki\/net\/facts\/new\|new\]\]/,
    );
  });

  it('keeps the map for itself while it goes on, and the next write anywhere brings it up to date', async () => {
    const { run, files: after, vault, brain } = await openTestBrain(files);
    await run(indexWings);
    vault.intercept = (call, path) => {
      if (call === 'putDerived' && path === INDEX) vault.outside(INDEX, `x${after.get(INDEX) ?? ''}`);
    };
    const { warnings } = await run(writeNote, note('new'));
    expect(warnings).toEqual([expect.stringMatching(/^The index of net is being edited .+ next write/)]);
    expect(after.get(INDEX)).toMatch(/^xxxx---/);
    expect(after.get(INDEX)).not.toMatch('facts/new');
    vault.outside('wiki/net/facts/more.md', '# More\n');
    await expect(run(indexWings, { wing: 'net' })).rejects.toMatchObject({ code: 'busy' });
    const other = await run(writeNote, { ...note('other'), wing: 'home' });
    expect(other.warnings).toEqual([]);
    vault.intercept = () => undefined;
    await run(writeNote, { ...note('another'), wing: 'home' });
    expect(after.get(INDEX)).toMatch('facts/new');
    const calls: string[] = [];
    vault.intercept = (call, path) => calls.push(`${call} ${path}`);
    await refreshWings(brain, [], []);
    expect(calls).toEqual([]);
  });
});

it.each([
  ['net', 'wiki/net/_index.md'],
  ['home-lab', 'wiki/home-lab/_index.md'],
  ['Home Lab', 'wiki/Home Lab/_index.md'],
  ['HOME LAB', 'wiki/home-lab/_index.md'],
  ['Cellar 2', 'wiki/Cellar 2/_index.md'],
  ['cellar-2', 'wiki/Cellar 2/_index.md'],
])('makes the map of %s alone, beside folders that can be no wing', async (named, path) => {
  const { run } = await openTestBrain({
    'wiki/_archive/facts/a.md': '# A\n',
    'wiki/!/facts/a.md': '# A\n',
    'wiki/Home Lab/facts/a.md': '# A\n',
    'wiki/home-lab/facts/a.md': '# A\n',
    'wiki/Cellar 2/facts/a.md': '# A\n',
    'wiki/net/facts/a.md': '# A\n',
  });
  expect((await run(indexWings, { wing: named })).wings.map((each) => each.path)).toEqual([path]);
});

it('is left, without a word, when the vault is closed while the maps are looked at', async () => {
  const { brain, run, vault } = await openTestBrain({});
  await run(writeNote, { wing: 'net', hall: 'facts', slug: 'mtu', content: '# MTU' });
  const log = silentLog();
  const read = vault.read.bind(vault);
  vault.read = (path) => {
    brain.pace.stop();
    return read(path);
  };
  expect(await makeMapsWhole({ ...brain, log })).toEqual([]);
  expect(log.lines).toEqual([]);
});
