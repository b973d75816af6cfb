import { indexWings } from '../../../src/core/notes/index-wings';
import { listWings } from '../../../src/core/notes/list-wings';
import { wingIndexText } from '../../../src/core/notes/wing-index';
import { sanitiseWing } from '../../../src/core/rules/address';
import { openTestBrain } from '../../support/test-brain';

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
    ['an end before the start', `${END}\n${START}\n`, `${END}\n${START}\n\n${region}\n`],
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
      `${START}\n## Facts (2)\n- [[wiki/net/facts/a|Alpha]] — First.\n- [[wiki/net/facts/b|beta x y]] — Second.\n## Decisions (1)\n- [[wiki/net/decisions/c|Gamma]]\n${END}`,
    );
    expect((await run(indexWings, { wing: 'Net' })).wings).toEqual([
      { wing: 'net', path: 'wiki/net/_index.md', notes: 3, changed: false },
    ]);
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
    const note = '---\nwritten_by: laptop\n---\n# Beta\n';
    const cut = { ...files, 'wiki/net/facts/b.md': note, 'wiki/net/_index.md': '' };
    const { files: mended } = await openTestBrain(cut);
    expect(mended.get('wiki/net/_index.md')).toMatch(/^---\ntype: index\nwing: net\n---\n# net\n\n[^]*Beta/);
  });

  it('is never searched or listed', async () => {
    const { run, brain } = await openTestBrain(files);
    await run(indexWings);
    expect(brain.catalog.search('alpha', { limit: 10 }).map(({ record }) => record.path)).toEqual([
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
