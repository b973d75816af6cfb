import { sha256 } from '../../../src/core/base/hash';
import { Ledger, type LedgerEntry } from '../../../src/core/storage/ledger';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState, type MemoryState } from '../../support/memory-state';

const HASH = sha256('report');
const FILE = 'ledger.laptop.jsonl';
const A = vaultPath('raw/a.md');
const B = vaultPath('wiki/net/facts/b.md');
const entry: LedgerEntry = {
  source: 'https://example.org',
  original: vaultPath('inbox/processed/2026-11-20/ö.pdf'),
  extraction: 'llm',
  pages: [A],
};

function open(state: MemoryState, device = 'laptop', time = '2026-11-20T10:32:00Z') {
  const clock = fixedClock(time);
  return { ledger: new Ledger({ state, clock, device }), clock };
}

it('remembers a source over a restart, in one line of ASCII with a version', async () => {
  const state = createMemoryState();
  const { ledger } = open(state);
  expect(await ledger.find(HASH)).toBeNull();
  await ledger.add(HASH, entry);
  expect(await ledger.find(HASH)).toEqual(entry);
  expect(await open(state).ledger.find(HASH)).toEqual(entry);
  const text = state.files.get(FILE) ?? '';
  expect(text).toMatch(/^\n[ -~]+\n$/);
  expect(JSON.parse(text)).toEqual({ v: 1, ts: '2026-11-20T10:32:00Z', source_hash: HASH, ...entry });
});

it('adds pages up and takes the rest from the last line', async () => {
  const { ledger } = open(createMemoryState());
  await ledger.add(HASH, entry);
  await ledger.add(HASH, { source: null, original: null, extraction: 'passthrough', pages: [B, A] });
  expect(await ledger.find(HASH)).toEqual({ ...entry, extraction: 'passthrough', pages: [A, B] });
});

it('forgets what is cleared, and only then writes a line for it', async () => {
  const state = createMemoryState();
  const { ledger } = open(state);
  await ledger.clear(HASH);
  expect(state.files.size).toBe(0);
  await ledger.add(HASH, entry);
  await ledger.clear(HASH);
  expect(await ledger.find(HASH)).toBeNull();
  expect(await open(state).ledger.find(HASH)).toBeNull();
  await ledger.add(HASH, { ...entry, pages: [B] });
  expect((await open(state).ledger.find(HASH))?.pages).toEqual([B]);
});

it('forgets a source that another server has recorded since it last looked', async () => {
  const state = createMemoryState();
  const { ledger } = open(state);
  expect(await ledger.find(HASH)).toBeNull();
  await open(state, 'desk').ledger.add(HASH, entry);
  await ledger.clear(HASH);
  expect(await open(state, 'desk').ledger.find(HASH)).toBeNull();
});

it('reads the lines of all devices in the order of their time, and writes its own file only', async () => {
  const state = createMemoryState();
  await open(state, 'laptop', '2026-11-20T10:00:00Z').ledger.add(HASH, entry);
  await open(state, 'desk', '2026-11-20T11:00:00Z').ledger.clear(HASH);
  expect(await open(state).ledger.find(HASH)).toBeNull();
  await open(state, 'laptop', '2026-11-20T12:00:00Z').ledger.add(HASH, { ...entry, pages: [B] });
  expect((await open(state, 'desk').ledger.find(HASH))?.pages).toEqual([B]);
  expect([...state.files.keys()].sort()).toEqual(['ledger.desk.jsonl', FILE]);
});

it('learns after some minutes what another device has written meanwhile', async () => {
  const state = createMemoryState();
  const { ledger, clock } = open(state);
  expect(await ledger.find(HASH)).toBeNull();
  await open(state, 'desk').ledger.add(HASH, entry);
  expect(await ledger.find(HASH)).toBeNull();
  clock.advance(6 * 60_000);
  expect(await ledger.find(HASH)).toEqual(entry);
});

it('passes over lines that are torn or of somebody else, wherever the last one is cut', async () => {
  const state = createMemoryState();
  await open(state).ledger.add(HASH, entry);
  const whole = state.files.get(FILE) ?? '';
  const other = sha256('other');
  for (let cut = 0; cut < whole.length; cut += 1) {
    state.files.set(FILE, `{"v":1}\nnot json\n${whole}${whole.slice(0, cut)}`);
    const { ledger } = open(state);
    expect(await ledger.find(HASH)).toEqual(entry);
    await ledger.add(other, entry);
    expect(await open(state).ledger.find(other)).toEqual(entry);
  }
});

it('writes whole lines after one that failed half-way', async () => {
  const state = createMemoryState();
  const append = state.append;
  const { ledger } = open(state);
  state.append = async (path, text, sync) => {
    await append(path, text.slice(0, 20), sync);
    throw new Error('the disk is full');
  };
  await expect(ledger.add(HASH, entry)).rejects.toThrow('the disk is full');
  state.append = append;
  expect(await ledger.find(HASH)).toBeNull();
  await ledger.add(HASH, entry);
  expect(await open(state).ledger.find(HASH)).toEqual(entry);
});

it('loses no line to two that ask at once', async () => {
  const state = createMemoryState();
  const { ledger } = open(state);
  const hashes = Array.from({ length: 20 }, (_, n) => sha256(`${n}`));
  await Promise.all(hashes.flatMap((hash) => [ledger.find(HASH), ledger.add(hash, entry)]));
  for (const hash of hashes) expect(await ledger.find(hash)).toEqual(entry);
});

it.each(['../outside.pdf', '/etc/passwd', '.obsidian/app.json', 'a//b.pdf', '', 7])(
  'knows no place that a line names and no vault has: %j',
  async (place) => {
    const state = createMemoryState();
    const line = { v: 1, ts: '2026-11-20T10:00:00Z', source_hash: HASH, extraction: 'llm' };
    state.files.set(FILE, `${JSON.stringify({ ...line, original: place, pages: [place, A] })}\n`);
    expect(await open(state).ledger.find(HASH)).toMatchObject({ original: null, pages: [A] });
  },
);

it('reads a file of another device that has hundreds of thousands of lines', async () => {
  const state = createMemoryState();
  const line = {
    v: 1,
    ts: '2026-11-20T10:00:00Z',
    source_hash: HASH,
    extraction: 'llm',
    original: null,
    pages: [A],
  };
  state.files.set('ledger.phone.jsonl', `${JSON.stringify(line)}\n`.repeat(200_000));
  expect(await open(state).ledger.find(HASH)).toMatchObject({ pages: [A] });
});
