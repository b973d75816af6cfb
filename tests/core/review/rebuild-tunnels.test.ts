import { BrainError } from '../../../src/core/base/errors';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { rebuildTunnels } from '../../../src/core/review/tunnels';
import { sha256 } from '../../../src/core/base/hash';
import { callerWith, openTestBrain } from '../../support/test-brain';

const DNS = 'wiki/net/facts/dns.md';
const promoted = (more = '', body = '# DNS\n\nWith split horizon views.\n') =>
  `---\nwing: net\nhall: facts\npromoted_at: 2026-11-01T00:00:00Z\nmine: kept # as it is\n${more}---\n${body}`;
const room = 'wiki/home/facts/dns.md';
const mention = 'wiki/home/facts/views.md';
const FILES = {
  [DNS]: promoted(),
  [room]: '# Names at home\n',
  [mention]: '# Split horizon\n',
  'wiki/net/_index.md': '',
};
const TUNNELS =
  'tunnels: ["[[wiki/home/facts/dns|Names at home]]", "[[wiki/home/facts/views|Split horizon]]"]\n';

it('digs what promotion would dig today, keeps every other byte, and says what changed', async () => {
  const { run, files } = await openTestBrain(FILES);
  expect(await run(rebuildTunnels)).toEqual({
    scanned: 1,
    changed: 1,
    notes: [
      {
        path: DNS,
        tunnels: [
          { path: room, reason: 'room' },
          { path: mention, reason: 'mention' },
        ],
      },
    ],
    warnings: [],
  });
  expect(files.get(DNS)).toContain(TUNNELS);
  expect((files.get(DNS) ?? '').replace(TUNNELS, '')).toBe(promoted());
  expect((await run(getNote, { hash: sha256(promoted()) })).body).toBe(
    '# DNS\n\nWith split horizon views.\n',
  );
  expect(files.get(room)).toBe(FILES[room]);
  expect(files.get('wiki/net/_index.md')).toMatch('## Tunnels\n- [[wiki/home/_index|home]] (2)\n');
  expect(files.get('wiki/home/_index.md')).toMatch('## Tunnels\n- [[wiki/net/_index|net]] (2)\n');
});

it('changes nothing the second time, nor what promotion has just done', async () => {
  const raw = 'raw/2026-11-01-unbound.md';
  const { run, files } = await openTestBrain({ ...FILES, [raw]: '# Names at home\n\nSplit horizon.\n' });
  await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' });
  await run(rebuildTunnels);
  const after = [...files];
  expect(await run(rebuildTunnels)).toEqual({ scanned: 2, changed: 0, notes: [], warnings: [] });
  expect([...files]).toEqual(after);
});

it('takes away what leads nowhere by now, and the wing it led to shows it no more', async () => {
  const { run, files, vault } = await openTestBrain(FILES);
  await run(rebuildTunnels);
  vault.outside(room, null);
  vault.outside(mention, '# Another title\n');
  expect((await run(rebuildTunnels)).notes).toEqual([{ path: DNS, tunnels: [] }]);
  expect(files.get(DNS)).toBe(promoted());
  expect(files.get('wiki/home/_index.md')).not.toMatch('Tunnels');
  expect(files.get('wiki/net/_index.md')).not.toMatch('Tunnels');
});

it('leaves a list alone that is written in another form but says the same', async () => {
  const block =
    'tunnels:\n  - "[[wiki/home/facts/dns|Names at home]]"\n  - "[[wiki/home/facts/views|Split horizon]]"\n';
  const { run, files } = await openTestBrain({ ...FILES, [DNS]: promoted(block) });
  expect((await run(rebuildTunnels)).changed).toBe(0);
  expect(files.get(DNS)).toBe(promoted(block));
});

it('passes over notes that were never promoted, that lie at no address, or that want no tunnels', async () => {
  const others = {
    'wiki/net/facts/written.md': '# Split horizon\n',
    'wiki/net/deep/er/dns.md': promoted(),
    'wiki/net/facts/views.md': promoted('auto_tunnel: false\n'),
    'wiki/net/facts/quiet.md': promoted('auto_tunnel: no\n', '# Split horizon\n'),
    'knowledge/dns.md': promoted(),
  };
  const { run, files } = await openTestBrain({ ...FILES, ...others });
  expect(await run(rebuildTunnels)).toMatchObject({ scanned: 1, changed: 1, warnings: [] });
  for (const [path, text] of Object.entries(others)) expect(files.get(path)).toBe(text);
});

it('promotion asks the same question: a note that wants no tunnels gets none, however it says so', async () => {
  const raw = 'raw/dns.md';
  const { run } = await openTestBrain({ [room]: FILES[room], [raw]: '---\nauto_tunnel: No\n---\n# DNS\n' });
  expect((await run(promoteNote, { path: raw, wing: 'net', hall: 'facts' })).tunnels).toEqual([]);
});

it('leaves what may not or cannot be edited, says so, and does the others', async () => {
  const left = {
    'wiki/net/facts/locked.md': promoted('locked: true\n'),
    'wiki/net/facts/quiet.md': promoted('locked: true\n', '# Alone\n'),
  };
  const { run, files } = await openTestBrain({ ...FILES, ...left });
  const { scanned, notes, warnings } = await run(rebuildTunnels);
  expect([scanned, notes.map(({ path }) => path)]).toEqual([3, [DNS]]);
  // A locked note that is right as it is needs no word.
  expect(warnings).toEqual(['wiki/net/facts/locked.md is locked by its owner and keeps the tunnels it has.']);
  for (const [path, text] of Object.entries(left)) expect(files.get(path)).toBe(text);
});

it('leaves a note that has become unreadable, and passes on any other failure of the disk', async () => {
  const { run, vault } = await openTestBrain({ ...FILES, 'wiki/net/facts/views.md': promoted() });
  const read = vault.read;
  const failing = (error: Error): void => {
    vault.read = (path) => (path === DNS ? Promise.reject(error) : read(path));
  };
  failing(new Error('EIO'));
  await expect(run(rebuildTunnels)).rejects.toThrow('EIO');
  failing(new BrainError('unsupported_type', 'It is not UTF-8 text.'));
  const { notes, warnings } = await run(rebuildTunnels);
  expect(notes.map(({ path }) => path)).toEqual(['wiki/net/facts/views.md']);
  expect(warnings).toEqual([`${DNS} was left as it is: It is not UTF-8 text.`]);
});

it('leaves a note that is saved meanwhile to whoever saves it, and the next run does it', async () => {
  const { run, files, vault } = await openTestBrain({ ...FILES, 'wiki/net/facts/views.md': promoted() });
  const saved = promoted('', '# DNS\n\nBy hand.\n');
  const read = vault.read;
  let reads = 0;
  vault.read = async (path) => {
    const text = await read(path);
    if (path === DNS && (reads += 1) === 1) vault.outside(DNS, saved);
    return text;
  };
  const { notes, warnings } = await run(rebuildTunnels);
  expect(notes.map(({ path }) => path)).toEqual(['wiki/net/facts/views.md']);
  expect(warnings).toEqual([expect.stringMatching(/^wiki\/net\/facts\/dns\.md changed meanwhile/)]);
  expect(files.get(DNS)).toBe(saved);
  expect((await run(rebuildTunnels)).notes).toEqual([
    { path: DNS, tunnels: [{ path: room, reason: 'room' }] },
  ]);
});

it('does one wing alone, changes nothing in a dry run, and refuses a wing that is none', async () => {
  const { run, refusal, files } = await openTestBrain({
    ...FILES,
    'wiki/office/facts/dns.md': promoted(),
  });
  const before = [...files];
  const dry = await run(rebuildTunnels, { dry_run: true });
  expect(dry).toMatchObject({ scanned: 2, changed: 2 });
  expect([...files]).toEqual(before);
  expect((await run(rebuildTunnels, { wing: 'Office' })).notes.map(({ path }) => path)).toEqual([
    'wiki/office/facts/dns.md',
  ]);
  expect(files.get(DNS)).toBe(promoted());
  expect((await run(rebuildTunnels)).notes).toEqual(dry.notes.filter(({ path }) => path === DNS));
  expect(await refusal(rebuildTunnels, { wing: 'none' })).toMatchObject({ code: 'invalid_wing' });
  expect(await refusal(rebuildTunnels, {}, callerWith(['read', 'propose', 'review']))).toMatchObject({
    code: 'forbidden_scope',
  });
});

it('lets others write between its parts, and each part is journaled whole', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [
      `wiki/net/facts/n${String(n).padStart(3, '0')}.md`,
      promoted('', `# Note ${n}\n\nSplit horizon.\n`),
    ]),
  );
  const { run, files, vault } = await openTestBrain({ [mention]: FILES[mention], ...many });
  const parts: number[] = [];
  let edits = 0;
  vault.intercept = (call) => {
    if (call === 'edit') edits += 1;
    if (call === 'create') parts.push(edits);
  };
  const rebuilding = run(rebuildTunnels);
  // Each of these waits for the writer like anybody else.
  let written = 0;
  const writing = (async () => {
    for (; written < 3; written += 1) {
      await run(writeNote, { wing: 'office', hall: 'facts', slug: `w${written}`, content: 'x' });
    }
  })();
  const { changed } = await rebuilding;
  await writing;
  expect([changed, edits]).toEqual([100, 100]);
  expect(parts[0]).toBeLessThan(100);
  for (const part of parts.filter((at) => at < 100)) expect(part % 8).toBe(0);
  expect(files.get('wiki/net/facts/n099.md')).toMatch(
    /tunnels: \["\[\[wiki\/home\/facts\/views\|Split horizon\]\]"\]/,
  );
});

it('survives an update of the note: tunnels are front matter', async () => {
  const { run, files } = await openTestBrain(FILES);
  await run(rebuildTunnels);
  await run(updateNote, { path: DNS, content: '# DNS\n\nAll new.\n', reason: 'new' });
  expect(files.get(DNS)).toContain(TUNNELS);
  expect((await run(rebuildTunnels)).notes).toEqual([
    { path: DNS, tunnels: [{ path: room, reason: 'room' }] },
  ]);
});

it('does one wing beside a folder that can be no wing', async () => {
  const { run } = await openTestBrain({ ...FILES, 'wiki/_archive/facts/old.md': promoted() });
  expect((await run(rebuildTunnels, { wing: 'Net' })).notes.map(({ path }) => path)).toEqual([DNS]);
});

it.each(['aliases: Names at home', 'alias: Names at home', 'alias: [Names at home]'])(
  'knows a note by %s',
  async (alias) => {
    const { run } = await openTestBrain({
      ...FILES,
      [DNS]: promoted(`${alias}\n`, '# X\n'),
      [room]: '',
      [mention]: '# Names At Home\n',
    });
    expect((await run(rebuildTunnels)).notes).toMatchObject([
      {
        tunnels: [
          { path: room, reason: 'room' },
          { path: mention, reason: 'room' },
        ],
      },
    ]);
  },
);

it('takes names for the same room whatever their case and accents', async () => {
  const { run } = await openTestBrain({
    'wiki/net/facts/größe_a.md': promoted('', '# X\n'),
    'wiki/home/facts/GROSSE-A.md': '# Y\n',
  });
  expect((await run(rebuildTunnels)).notes).toMatchObject([
    { tunnels: [{ path: 'wiki/home/facts/GROSSE-A.md', reason: 'room' }] },
  ]);
});
