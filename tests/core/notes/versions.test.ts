import { findVersion, history } from '../../../src/core/notes/history';
import { getNote } from '../../../src/core/notes/get';
import { versionOf } from '../../../src/core/notes/versions';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { historyPath } from '../../../src/core/storage/history';
import { type Sha, sha256 } from '../../../src/core/base/hash';
import { openTestBrain } from '../../support/test-brain';

/** A chain of texts, oldest first, each of which supersedes the one before. */
function chain(name: string, length: number): string[] {
  const texts: string[] = [];
  for (let n = 0; n < length; n += 1) {
    const before = texts.at(-1);
    const block = before === undefined ? '' : `---\nsupersedes: ${sha256(before)}\n---\n`;
    texts.push(`${block}${name} ${n}\n`);
  }
  return texts;
}

/** A brain with notes at these paths whose older versions the history keeps; counts what is read of it. */
async function brainOf(notes: Readonly<Record<string, readonly string[]>>) {
  const held = await openTestBrain(
    Object.fromEntries(Object.entries(notes).map(([path, texts]) => [path, texts.at(-1) ?? ''])),
  );
  for (const text of Object.values(notes).flatMap((texts) => texts.slice(0, -1))) {
    held.state.files.set(historyPath(sha256(text)), text);
  }
  const reads = new Map<string, number>();
  const read = held.state.read.bind(held.state);
  held.state.read = (path) => {
    reads.set(path, (reads.get(path) ?? 0) + 1);
    return read(path);
  };
  const total = () => [...reads.values()].reduce((sum, count) => sum + count, 0);
  const ownerOf = async (hash: Sha) => (await findVersion(held.brain, hash)).path;
  return { ...held, reads, total, ownerOf };
}

describe('the owner of an older version', () => {
  const A = 'wiki/net/facts/a.md';
  const B = 'wiki/net/facts/b.md';
  const [a, b] = [chain('a', 30), chain('b', 30)];
  const oldest = sha256(b[0] ?? '');

  it('is found with each older version read once, and again without a walk', async () => {
    const { reads, total, ownerOf } = await brainOf({ [A]: a, [B]: b });
    expect(await ownerOf(oldest)).toBe(B);
    // The wanted version is read for its text and may be read once more as part of the chain.
    for (const [path, count] of reads)
      expect(count).toBeLessThanOrEqual(path === historyPath(oldest) ? 2 : 1);
    const before = total();
    expect(await ownerOf(sha256(b[10] ?? ''))).toBe(B);
    expect(await ownerOf(sha256(a[10] ?? ''))).toBe(A);
    expect(total() - before).toBe(2);
  });

  it('is found by calls that arrive together with each older version walked over once', async () => {
    const { reads, ownerOf } = await brainOf({ [A]: a, [B]: b });
    const owners = await Promise.all(Array.from({ length: 5 }, () => ownerOf(oldest)));
    expect(owners).toEqual(Array.from({ length: 5 }, () => B));
    for (const [path, count] of reads) if (path !== historyPath(oldest)) expect(count).toBe(1);
  });

  it('follows the note when it moves, and is the version itself when the note goes', async () => {
    const { vault, ownerOf, run } = await brainOf({ [A]: a, [B]: b });
    expect(await ownerOf(oldest)).toBe(B);
    const moved = 'wiki/net/facts/c.md';
    vault.outside(B, null);
    vault.outside(moved, b.at(-1) ?? '');
    expect(await run(getNote, { hash: oldest })).toMatchObject({ path: moved });
    vault.outside(moved, null);
    expect(await run(getNote, { hash: oldest })).toMatchObject({ path: `.brain/${historyPath(oldest)}` });
  });

  it('is no longer a note whose chain begins elsewhere now', async () => {
    const { vault, ownerOf, run } = await brainOf({ [A]: a, [B]: b });
    expect(await ownerOf(oldest)).toBe(B);
    vault.outside(B, `---\nsupersedes: ${sha256(a[3] ?? '')}\n---\nrewritten\n`);
    expect(await run(getNote, { hash: oldest })).toMatchObject({ path: `.brain/${historyPath(oldest)}` });
  });

  it('is found when a missing part of its past arrives', async () => {
    const { state, ownerOf } = await brainOf({ [B]: b });
    const middle = historyPath(sha256(b[15] ?? ''));
    state.files.delete(middle);
    expect(await ownerOf(oldest)).toBe(`.brain/${historyPath(oldest)}`);
    state.files.set(middle, b[15] ?? '');
    expect(await ownerOf(oldest)).toBe(B);
  });

  it('is found past a history that was damaged, and a forged version is none', async () => {
    const [x, y] = [sha256('x'), sha256('y')];
    const { state, ownerOf } = await brainOf({ [B]: b, [A]: [`---\nsupersedes: ${x}\n---\n`] });
    state.files.set(historyPath(x), `---\nsupersedes: ${y}\n---\n`);
    state.files.set(historyPath(y), `---\nsupersedes: ${x}\n---\n`);
    expect(await ownerOf(oldest)).toBe(B);
    await expect(ownerOf(x)).rejects.toMatchObject({ code: 'note_not_found' });
  });
});

describe('the number of older versions', () => {
  const path = 'wiki/net/facts/a.md';
  const texts = chain('a', 12);

  it('is counted with each version read once', async () => {
    const { run, total } = await brainOf({ [path]: texts });
    expect(await run(getNote, { path })).toMatchObject({ history: 11 });
    const before = total();
    expect(before).toBeLessThanOrEqual(12);
    expect(await run(getNote, { path })).toMatchObject({ history: 11 });
    expect(total() - before).toBeLessThanOrEqual(1);
  });

  it('ends where the history does, for as long as it does', async () => {
    const { run, state } = await brainOf({ [path]: texts });
    const cut = historyPath(sha256(texts[4] ?? ''));
    state.files.delete(cut);
    expect(await run(getNote, { path })).toMatchObject({ history: 6 });
    state.files.set(cut, texts[4] ?? '');
    expect(await run(getNote, { path })).toMatchObject({ history: 11 });
  });

  it('does not fail for ever because reading failed once', async () => {
    const { brain, state } = await brainOf({ [path]: texts });
    const text = texts[11] ?? '';
    const read = state.read;
    state.read = () => Promise.reject(new Error('disk'));
    await expect(brain.versions.older(brain, vaultPath(path), text)).rejects.toThrow('disk');
    state.read = read;
    expect(await brain.versions.older(brain, vaultPath(path), text)).toBe(11);
    expect(await brain.versions.older(brain, vaultPath(path), texts[0] ?? '')).toBe(0);
  });
});

describe('versionOf', () => {
  it.each([
    ['updated_at: 2026-03-01\npromoted_at: 2026-02-01', '2026-03-01T00:00:00Z'],
    ['updated_at: yesterday\npromoted_at: 2026-02-01 10:00', '2026-02-01T10:00:00Z'],
    ['updated_at: yesterday', undefined],
  ])('says when it was written: %j', (block, expected) => {
    expect(versionOf(`---\n${block}\n---\n`).updated_at).toBe(expected);
  });

  it('is what the history lists', async () => {
    const path = 'wiki/net/facts/a.md';
    const text = '---\nupdated_at: yesterday\ncreated_at: 2026-01-01\nwritten_by: laptop\n---\nx\n';
    const { run } = await brainOf({ [path]: [text] });
    expect(await run(history, { path })).toEqual({
      path,
      versions: [
        { hash: sha256(text), updated_at: '2026-01-01T00:00:00Z', written_by: 'laptop', bytes: text.length },
      ],
    });
  });
});

it.each([
  ['both', { path: 'wiki/net/facts/a.md', hash: 'a'.repeat(64) }, 'invalid_field', 'hash'],
  ['neither', {}, 'missing_field', 'path'],
])('the history is asked for by path or by hash, not %s', async (_, input, code, field) => {
  const { refusal } = await openTestBrain({ 'wiki/net/facts/a.md': 'x' });
  expect(await refusal(history, input)).toMatchObject({ code, details: { field } });
});

describe('the difference of two versions', () => {
  const PATH = 'wiki/net/facts/a.md';
  const texts = chain('a', 3);
  const [first, second, last] = texts.map((text) => sha256(text));

  it('is a unified patch, of one version to the note as it is now', async () => {
    const { run } = await brainOf({ [PATH]: texts });
    const answer = await run(history, { diff: `${first}..${second}` });
    expect(answer).toMatchObject({ path: PATH, diff: { from: first, to: second } });
    expect(JSON.stringify(answer)).toContain('-a 0\\n+---');
    expect(await run(history, { diff: `${first}` })).toMatchObject({ diff: { from: first, to: last } });
    expect(JSON.stringify(await run(history, { diff: `${last}` }))).not.toContain('@@');
  });

  it('is told of, not made, where too many lines differ, and cut where it is long', async () => {
    const version = (name: string, lines: number): string[] => {
      const text = Array.from({ length: lines }, (_, at) => `${name} ${at}\n`);
      const old = text.join('');
      return [old, `---\nsupersedes: ${sha256(old)}\n---\n${text.map((line) => `new ${line}`).join('')}`];
    };
    for (const [texts, warning] of [
      [version('line', 2000), 'More than 400 lines differ.'],
      [version('much '.repeat(60), 150), 'The patch is cut.'],
    ] as const) {
      const { run } = await brainOf({ [PATH]: texts });
      const answer = JSON.stringify(await run(history, { diff: sha256(texts[0] ?? '') }));
      expect(answer).toContain(warning);
      expect(answer.length).toBeLessThan(25_000);
    }
  });

  it.each([
    [{ diff: 'abc' }, 'invalid_field'],
    [{ diff: '..' }, 'invalid_field'],
    [{ diff: `${first}..${second}..${last}` }, 'invalid_field'],
    [{ diff: `${first}`, path: PATH }, 'invalid_field'],
    [{ diff: `${'0'.repeat(64)}` }, 'note_not_found'],
  ])('refuses %j', async (ask, code) => {
    const { refusal } = await brainOf({ [PATH]: texts });
    expect(await refusal(history, ask)).toMatchObject({ code });
  });
});
