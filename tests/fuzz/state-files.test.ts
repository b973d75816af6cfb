import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { verifyAudit } from '../../src/core/audit/verify';
import { settleConfig } from '../../src/core/config/config';
import { ingestText } from '../../src/core/ingest/operations';
import { editRoot } from '../../src/core/notes/root';
import { status } from '../../src/core/status/status';
import { updateNote } from '../../src/core/notes/update';
import { writeNote } from '../../src/core/notes/write';
import { perform } from '../../src/core/operation/operation';
import { queryNotes } from '../../src/core/search/query';
import { promoteNote } from '../../src/core/review/promote';
import { sha256 } from '../../src/core/base/hash';
import { logSession } from '../../src/core/sessions/log';
import { type OpenVault, openVault } from '../../src/headless/server/open';
import { silentLog } from '../support/silent-log';
import { withTempFolder } from '../support/temp-folder';
import { agent } from '../support/test-brain';
import { fuzz } from './fuzz';
import { mutated, mutatedBytes } from './mutations';

const DEVICE = 'testtest';
const LOCAL = `.brain/local.${DEVICE}`;
const NOTES = {
  'wiki/net/facts/mtu.md': '---\nwing: net\nhall: facts\n---\n# MTU\n\n1420.\n',
  'raw/2026-11-01-dns.md': '# DNS\n\nUnbound.\n',
  'AGENTS.md': '# Root\n\nRules.\n',
};
const open = (root: string): Promise<OpenVault> =>
  openVault(root, settleConfig({}, { watch: false }), { BRAIN_DEVICE: DEVICE }, silentLog());

/** Every file below a folder, by its path with `/`. */
async function filesIn(root: string): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const full = path.join(entry.parentPath, entry.name);
    found.set(path.relative(root, full).split(path.sep).join('/'), await readFile(full));
  }
  return found;
}

async function put(root: string, at: string, bytes: string | Uint8Array): Promise<void> {
  await mkdir(path.dirname(path.join(root, at)), { recursive: true });
  await writeFile(path.join(root, at), bytes);
}

/** What a service leaves behind that has done something of everything. */
let left: Map<string, Buffer>;
beforeAll(async () => {
  left = await withTempFolder(async (root) => {
    for (const [at, text] of Object.entries(NOTES)) await put(root, at, text);
    const { brain, audit, close } = await open(root);
    await brain.ready();
    const written = await perform(
      brain,
      writeNote,
      { content: '# Old\n\nFirst.', wing: 'net', hall: 'facts', slug: 'old' },
      agent,
    );
    await perform(
      brain,
      updateNote,
      { path: written.path, content: '# Old\n\nSecond.', reason: 'better' },
      agent,
    );
    await perform(brain, promoteNote, { path: 'raw/2026-11-01-dns.md', wing: 'net', hall: 'facts' }, agent);
    await perform(
      brain,
      ingestText,
      { text: 'A text about backups at night.', title: 'Backups', source: 'https://example.org' },
      agent,
    );
    await perform(
      brain,
      editRoot,
      { content: '# Root\n\nNew rules.', reason: 'x', expected_hash: sha256(NOTES['AGENTS.md']) },
      agent,
    );
    await perform(brain, logSession, { records: [{ skill: 's', status: 'pass' }] }, agent);
    for (const id of ['a', 'b']) {
      const line = {
        ts: '2026-11-20T10:32:00Z',
        id,
        tool: 'brain_query',
        actor: 'laptop',
        auth: 'read',
        ok: true,
      } as const;
      await audit.record({ ...line, args: {}, paths: [], unlinked: 0, duration_ms: 1 }, true);
    }
    await close();
    return filesIn(root);
  });
});

const journalText = (...steps: object[]) =>
  [
    JSON.stringify({ id: '1', op: 'write', steps, folders: ['wiki/net', '../x', '/tmp'] }),
    JSON.stringify({ undo: '1', steps: 1 }),
  ].join('\n');
const SHA = sha256(NOTES['wiki/net/facts/mtu.md']);
/** Journals that nobody but a fault, or somebody with bad intentions, writes. */
const JOURNALS = [
  journalText({ kind: 'create', path: '../outside.md', text: 'x' }),
  journalText({ kind: 'remove', path: 'wiki/net/facts/mtu.md', before: SHA }),
  JSON.stringify({
    id: '1',
    op: 'write',
    steps: [{ kind: 'create', path: '../../outside.md', text: 'x' }],
    folders: [],
  }),
  JSON.stringify({
    id: '1',
    op: 'write',
    steps: [{ kind: 'create', path: '/etc/outside.md', text: 'x' }],
    folders: [],
  }),
  JSON.stringify({
    id: '1',
    op: 'write',
    steps: [{ kind: 'create', path: 'wiki/a\0b.md', text: 'x' }],
    folders: [],
  }),
  JSON.stringify({
    id: '1',
    op: 'write',
    steps: [
      { kind: 'create', path: '', text: 'x' },
      { kind: 'edit', path: 'wiki', before: SHA, text: 'y' },
    ],
    folders: [''],
  }),
  JSON.stringify({
    id: '1',
    op: 'write',
    steps: [{ kind: 'create', path: 'AGENTS.md/x.md', text: 'x' }],
    folders: ['AGENTS.md'],
  }),
  JSON.stringify({ id: '1', op: 'x'.repeat(5000), steps: [], folders: [] }),
  '{"id":"1"}\n{"done":"1"}\n{"undo":"1","steps":-1}\nnull\n[]\n"x"\n',
];

/** What a person or another program may have made of a file. */
function spoiled(original: Buffer): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    mutatedBytes([new Uint8Array(original)]),
    mutated(
      fc.constant(original.toString('utf8')),
      ['\n', '{', '}', '"', ',', 'null', '{}\n', '[]\n', '\0', '\uFEFF', '"prev":"x"', '1e999', '-1', '../'],
      6,
    ).map((text) => new Uint8Array(Buffer.from(text))),
    fc.uint8Array({ maxLength: 100 }),
    fc.constant(new Uint8Array(0)),
  );
}

/** Kept for ever: nothing that stands in one of these may go. The others can be made again. */
const KEPT = /^\.brain\/(?:audit|history)\/|^\.brain\/[^/]*ledger|^sessions\/|^inbox\/processed\//;

async function startsOver(files: ReadonlyMap<string, Uint8Array>, sure: readonly string[]): Promise<void> {
  await withTempFolder(async (top) => {
    const root = path.join(top, 'vault');
    for (const [at, bytes] of files) await put(root, at, bytes);
    const { brain, close } = await open(root);
    try {
      await brain.ready();
      const found = await perform(brain, queryNotes, { query: 'mtu' }, agent);
      expect(found.results.map(({ path: at }) => at)).toContain('wiki/net/facts/mtu.md');
      expect((await perform(brain, status, {}, agent)).checks.length).toBeGreaterThan(3);
      await perform(brain, verifyAudit, {}, agent);
      const written = await perform(
        brain,
        writeNote,
        { content: '# New\n\nAfter it.', wing: 'net', hall: 'facts', slug: 'new' },
        agent,
      );
      expect(written.created).toBe(true);
    } finally {
      await close();
    }
    const after = await filesIn(top);
    for (const at of sure)
      expect([at, after.get(`vault/${at}`)]).toEqual([at, Buffer.from(files.get(at) ?? [])]);
    for (const [at, bytes] of files) {
      if (!KEPT.test(at)) continue;
      const stands = after.get(`vault/${at}`) ?? Buffer.alloc(0);
      expect([at, stands.subarray(0, bytes.length).equals(bytes)]).toEqual([at, true]);
    }
    expect([...after.keys()].filter((at) => !at.startsWith('vault/'))).toEqual([]);
  });
}

const isState = (at: string): boolean =>
  (at.startsWith('.brain/') && !/version$|gitignore$/.test(at)) || at.startsWith('sessions/');

fuzz(
  'files of the service with any bytes in them stop no start, and none that must be kept goes',
  30,
  fc.asyncProperty(fc.gen(), fc.integer({ min: 1, max: 4 }), async (value, count) => {
    const files = new Map<string, Uint8Array>(left);
    const names = [...left.keys()].filter(isState);
    for (let n = 0; n < count; n += 1) {
      const at = value(fc.constantFrom, ...names);
      files.set(at, value(spoiled, left.get(at) ?? Buffer.alloc(0)));
    }
    await startsOver(files, ['wiki/net/facts/mtu.md']);
  }),
);

it.each(JOURNALS.map((text, at): [number, string] => [at, text]))(
  'journal %# of those that nobody writes changes nothing outside the vault, and no note that it does not prove',
  async (_, journal) => {
    await startsOver(
      new Map<string, Uint8Array>([...left, [`${LOCAL}/journal.jsonl`, Buffer.from(journal)]]),
      ['wiki/net/facts/mtu.md'],
    );
  },
);

it('a damaged journal is kept beside the new one, and told', async () => {
  await withTempFolder(async (root) => {
    for (const [at, bytes] of left) await put(root, at, bytes);
    const bytes = Buffer.concat([
      Buffer.from('{"id":"1","op":"write"'),
      Buffer.from([0xff, 0x00]),
      Buffer.from('\n'),
    ]);
    await put(root, `${LOCAL}/journal.jsonl`, bytes);
    const { brain, close } = await open(root);
    const { checks } = await perform(brain, status, {}, agent);
    await close();
    expect(JSON.stringify(checks)).toContain(
      'The journal of interrupted changes holds lines that cannot be read',
    );
    const kept = [...(await filesIn(root))].find(([at]) => at.includes('journal-damaged'));
    expect(kept?.[1]).toEqual(bytes);
  });
});

it('what others left in the folders of the state is left there', async () => {
  const strange = [
    '.brain/history/notes.txt',
    '.brain/history/aa/zz.md',
    '.brain/audit/2026-11.other.jsonl',
    '.brain/unknown/file',
    '.brain/ledger.zzzz.jsonl',
  ];
  const files = new Map<string, Uint8Array>([
    ...left,
    ...strange.map((at): [string, Uint8Array] => [at, Buffer.from('\u{1}\nnot ours\0')]),
  ]);
  await startsOver(files, strange);
});
