import type { Scope, TokenLimits, TokenStore } from '../../src/core/access/tokens';
import { openAudit } from '../../src/core/audit/log';
import { sha256 } from '../../src/core/base/hash';
import { updateNote } from '../../src/core/notes/update';
import { writeNote } from '../../src/core/notes/write';
import { DESCRIPTORS, type Descriptor, type OperationName } from '../../src/core/operation/descriptors';
import type { Operation } from '../../src/core/operation/operation';
import { alone, type ChangeFeed } from '../../src/core/ports/ports';
import { OPERATIONS } from '../../src/core/registry/table';
import { promoteNote } from '../../src/core/review/promote';
import { rejectNote } from '../../src/core/review/reject';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { createApp } from '../../src/doors/http/app';
import { startServer } from '../../src/doors/http/listen';
import { createMcpDoor } from '../../src/doors/mcp/server';
import { TOOLS } from '../../src/doors/mcp/tools';
import { openTestBrain, person } from '../support/test-brain';

/*
 * The strongest property of read paths: what a limited token is told is byte for byte the same whether the vault holds what it
 * may not read or not. Two servers get the same requests; one has the hidden notes, the other never had them.
 */

jest.setTimeout(120_000);

const HASH_OF_NOTHING = 'ab'.repeat(32);

const SEEN = {
  'wiki/homelab/facts/mtu.md':
    '---\ntitle: MTU\ntags: [network]\nwing: homelab\nhall: facts\ncreated_at: 2026-11-01T10:00:00Z\n---\n# MTU\n\nThe backup tunnel wants 1420. See [[Zanzibar]], [[vpn]], [[wiki/secret/facts/zanzibar]] and [[mtu]].\n',
  'wiki/homelab/decisions/vpn.md':
    '---\nwing: homelab\nhall: decisions\n---\n# VPN\n\nThe backup goes through the tunnel. It links to [[wiki/homelab/facts/mtu|MTU]].\n',
  'knowledge/backup.md': '# Backup\n\nA backup every night, kept thirty days.\n',
  'wiki/homelab/facts/map.svg': '<svg>seen</svg>',
};

const ZANZIBAR =
  '---\ntitle: Zanzibar\naliases: [Spice, VPN]\ntags: [network]\nwing: secret\nhall: facts\n---\n# Zanzibar\n\nThe zanzibar backup tunnel password hint. See [[wiki/homelab/facts/mtu]] and [[vpn]].\n';
const QUEUED = '# Zanzibar draft\n\nThe queued zanzibar backup.\n';

const HIDDEN = {
  'wiki/secret/facts/zanzibar.md': ZANZIBAR,
  'wiki/secret/facts/map.svg': '<svg>zanzibar</svg>',
  'wiki/secret/facts/mtu.md': '# MTU\n\nAnother backup tunnel note in a hidden wing, with a rare quokka.\n',
  'wiki/homelab-private/facts/mtu.md': '# MTU\n\nIts wing begins like one that is read.\n',
  'knowledge-base.md': '# Knowledge base\n\nIts name begins like a folder that is read. Backup.\n',
  'raw/2026-11-01-zanzibar.md': QUEUED,
  'raw/2026-11-20-remember-the-backup.md': '# Remember the backup\n\nThe same name as a capture.\n',
  'raw/rejected/2026-10-01-noise.md': '# Noise\n\nRejected zanzibar.\n',
  'inbox/zanzibar.txt': 'A file about zanzibar.\n',
  'inbox/processed/2026-11-20/old.txt': 'An original.\n',
  'sessions/2026-11.testtest.jsonl':
    '{"v":1,"timestamp":"2026-11-19T10:00:00Z","skill":"deploy","status":"pass"}\n',
  'Projects/plan.md': '# Plan\n\nThe owner plans a zanzibar backup.\n',
  'AGENTS.md': '# Guide\n\nRead this first.\n',
};

/** A name in the queue that another note has, whatever it says: a new note gets a number. */
const TAKEN = { 'raw/2026-11-20-remember-the-backup.md': '# Kept\n\nWords of its own.\n' };

/** Texts that a case may name: those of the hidden notes at several times. */
const HASHES = {
  zanzibar: sha256(ZANZIBAR),
  queued: sha256(QUEUED),
  plan: sha256(HIDDEN['Projects/plan.md']),
  nothing: HASH_OF_NOTHING,
};

const READ = ['wiki/homelab', 'knowledge'];
const TOKENS: Readonly<Record<string, { readonly scopes: readonly Scope[]; readonly limits: TokenLimits }>> =
  {
    intern: { scopes: ['read', 'write'], limits: { read: READ, writeWings: ['homelab'] } },
    spy: { scopes: ['read', 'write', 'review', 'admin'], limits: { read: READ } },
    dropbox: { scopes: ['read', 'propose'], limits: { read: READ } },
    blind: { scopes: ['propose'], limits: { read: READ } },
  };
/** Tokens without `read`: no note exists for them but their own. Paths and names that are taken are told as `taken`. */
const BLIND: Readonly<Record<string, readonly Scope[]>> = {
  proposer: ['propose'],
  writer: ['write'],
  reviewer: ['review'],
  janitor: ['write', 'review', 'admin'],
};

const tokens: TokenStore = {
  async verify(token) {
    const scopes = BLIND[token];
    const known = scopes === undefined ? TOKENS[token] : { scopes, limits: {} };
    if (token === 'owner')
      return { name: token, scopes: new Set(['read', 'write', 'review', 'admin']), page: false };
    return known === undefined
      ? null
      : { name: token, scopes: new Set(known.scopes), page: false, limits: known.limits };
  },
};

/** The headers that may differ. The position is the one that a client needs to read at one server what it wrote at another. */
const UNLIKE_HEADERS = ['date', 'x-request-id', 'mcp-session-id', 'content-length', 'x-brain-seq'];

interface World {
  ask(token: string, method: string, path: string, body?: unknown): Promise<string>;
  rpc(token: string, method: string, params?: unknown): Promise<string>;
  close(): Promise<void>;
}

async function openWorld(withHidden: boolean, isEmpty = false): Promise<World> {
  const files = withHidden ? { ...SEEN, ...HIDDEN } : isEmpty ? TAKEN : SEEN;
  const position = Object.keys(files).length;
  const feed: ChangeFeed = { position, reach: async () => position, silentMs: 0, unconfirmedMs: 0 };
  const opened = await openTestBrain(files, { rateLimit: 0 }, undefined, {
    servers: { ...alone, feed },
  });
  // The owner works on both kinds of notes; the catalogs, logs and histories of the two vaults differ widely.
  if (!isEmpty) {
    await opened.run(
      updateNote,
      {
        path: 'knowledge/backup.md',
        content: '# Backup\n\nA backup every night, kept sixty days.',
        reason: 'longer',
      },
      person,
    );
  }
  if (withHidden) {
    await opened.run(
      updateNote,
      {
        path: 'wiki/secret/facts/zanzibar.md',
        content: '# Zanzibar\n\nNew zanzibar text, see [[vpn]].',
        reason: 'new',
      },
      person,
    );
    await opened.run(
      writeNote,
      {
        wing: 'secret',
        hall: 'failures',
        slug: 'burnt',
        content: '# Burnt\n\nA zanzibar backup failed. [[vpn]]',
      },
      person,
    );
    await opened.run(
      promoteNote,
      { path: 'raw/2026-11-01-zanzibar.md', wing: 'secret', hall: 'sources' },
      person,
    );
    await opened.run(rejectNote, { path: 'raw/2026-11-20-remember-the-backup.md', reason: 'no' }, person);
    opened.vault.files.set('raw/2026-11-20-remember-the-backup.md', '# Remember the backup\n\nAgain.\n');
    opened.brain.catalog.markDirty({
      kind: 'changed',
      path: vaultPath('raw/2026-11-20-remember-the-backup.md'),
    });
  }
  const { brain, state, clock } = opened;
  const audit = await openAudit({ state, clock, device: 'testtest' });
  const mcp = createMcpDoor({ brain, audit, sessionKey: 'key', version: '0' });
  const server = await startServer(createApp({ brain, tokens, version: '0', mcp }), {
    host: '127.0.0.1',
    port: 0,
  });
  const send = async (token: string, method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const headers = [...response.headers]
      .filter(([name]) => !UNLIKE_HEADERS.includes(name))
      .map(([name, value]) => `${name}: ${value}`);
    return normalised([response.status, ...headers, await response.text()].join('\n'));
  };
  return {
    ask: send,
    rpc: (token, method, params) =>
      send(token, 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method, ...(params !== undefined && { params }) }),
    async close() {
      await server.stop();
      await opened.close();
    },
  };
}

/** Replaces what is random in every answer: ids of requests and jobs, and the mark around the text of a resource. */
function normalised(text: string): string {
  return text
    .replace(/(request_id\\?":\\?")[^"\\]+/g, '$1…')
    .replace(/(\\?"job\\?":\\?")[0-9a-f]{24}/g, '$1…')
    .replace(/end=[0-9a-f]{16}/g, 'end=…');
}

type Input = Readonly<Record<string, unknown>>;

const PATHS = [
  'wiki/secret/facts/zanzibar.md',
  'wiki/secret/facts/none.md',
  'wiki/secret/_index.md',
  'wiki/homelab/_index.md',
  'wiki/homelab/facts/mtu.md',
  'wiki/homelab-private/facts/mtu.md',
  'wiki/Secret/facts/ZANZIBAR.md',
  'wiki/homelab/../secret/facts/zanzibar.md',
  'raw/2026-11-20-remember-the-backup.md',
  'raw/rejected/2026-10-01-noise.md',
  'knowledge-base.md',
  'Projects/plan.md',
  'AGENTS.md',
  'inbox/zanzibar.txt',
];
const NAMES = ['Zanzibar', 'Spice', 'VPN', 'mtu', '[[zanzibar]]', 'Zanzibr', 'Plan', 'quokka'];
const paths = (more: Input = {}): Input[] => PATHS.map((path) => ({ path, ...more }));
const hashes: readonly Input[] = Object.values(HASHES).map((hash) => ({ hash }));
const LINKING = 'See [[Zanzibar]], [[mtu]], [[wiki/secret/facts/zanzibar]], [[vpn]], [[plan]] and [[Spice]].';
const questions: readonly Input[] = [
  { query: 'zanzibar' },
  { query: 'backup tunnel' },
  { query: 'zanzibr bakup', explain: true },
  { query: 'quoka' },
  { query: '"password hint"' },
  { query: 'backup', wing: 'secret' },
  { query: 'backup', wing: 'nowhere' },
  { query: 'backup', hall: 'facts' },
  { query: 'backup', include_raw: true, limit: 1 },
  { query: 'backup', written_by: 'human:me' },
  { query: 'zanzibar', under: 'Projects' },
  { query: 'nothing-at-all', under: 'wiki' },
  { query: 'backup', status: 'vault' },
];

/** At least one call of every operation; the compiler refuses a table that lacks one. */
const CASES: { readonly [Name in OperationName]: readonly Input[] } = {
  query: questions,
  answer: questions.map(({ query, wing }) => ({ query, ...(wing !== undefined && { wing }) })),
  context: [
    {},
    { task: 'the zanzibar backup tunnel' },
    { task: 'VPN', wing: 'homelab', max_tokens: 400 },
    { wing: 'secret' },
    { wing: 'homelab-private' },
    { wing: 'nowhere' },
  ],
  fileAnswer: PATHS.map((path) => ({
    query: 'Which backup?',
    answer: 'The zanzibar one [1].',
    citations: [{ n: 1, path, quote: 'backup' }],
  })),
  write: [
    { wing: 'homelab', hall: 'facts', slug: 'zanzibar', content: `# Note\n\n${LINKING}` },
    { wing: 'homelab', hall: 'facts', slug: 'zanzibar', content: '# Other\n\nAnother text.' },
    {
      wing: 'homelab',
      hall: 'facts',
      content: '# Zanzibar\n\nThe zanzibar backup tunnel password hint.',
      dry_run: true,
    },
    { wing: 'secret', hall: 'facts', slug: 'zanzibar', content: '# Zanzibar\n\nOver it.' },
    { wing: 'secret', hall: 'facts', slug: 'zanzibar', content: '# Zanzibar\n\nOver it.', overwrite: true },
    { wing: 'secret', hall: 'facts', slug: 'free', content: '# Free\n\nBeside it.' },
    { wing: 'brand-new', hall: 'facts', slug: 'zanzibar', content: '# Zanzibar\n\nNew.' },
    { filename: 'zanzibar', content: '# Legacy\n\nText.' },
    {
      wing: 'homelab',
      hall: 'facts',
      slug: 'forged',
      content: `---\nsupersedes: ${HASHES.zanzibar}\ntunnels: ["[[wiki/secret/facts/zanzibar]]"]\n---\n# Forged\n\nText.`,
    },
  ],
  edit: [
    ...paths({ append: 'A line more.', dry_run: true }),
    {
      path: 'wiki/secret/facts/zanzibar.md',
      replace: { old: 'zanzibar', new: 'x' },
      expected_hash: HASHES.zanzibar,
    },
    { path: 'knowledge/backup.md', append: LINKING },
  ],
  update: [
    ...paths({ content: '# New\n\nText.', reason: 'new', dry_run: true }),
    {
      path: 'wiki/secret/facts/zanzibar.md',
      content: '# New\n\nText.',
      reason: 'new',
      expected_hash: HASHES.zanzibar,
    },
    { path: 'knowledge/backup.md', content: `# Backup\n\n${LINKING}`, reason: 'links' },
    { wing: 'secret', hall: 'facts', slug: 'zanzibar', content: '# New\n\nText.', reason: 'new' },
  ],
  capture: [
    { text: '# Remember the backup\n\nThe zanzibar backup.' },
    { text: '# Remember the backup\n\nThe zanzibar backup.', wing: 'secret', hall: 'facts' },
    { text: `# Links\n\n${LINKING}`, wing: 'homelab', hall: 'hypotheses' },
  ],
  note: [
    ...paths(),
    ...NAMES.map((path) => ({ path })),
    ...hashes,
    { wing: 'secret', hall: 'facts', slug: 'zanzibar' },
  ],
  neighbours: [...paths(), ...NAMES.map((path) => ({ path }))],
  file: [
    ...paths(),
    { path: 'wiki/homelab/facts/map.svg' },
    { path: 'wiki/secret/facts/map.svg' },
    { path: 'wiki/secret/facts/none.svg' },
    { path: 'map.svg' },
  ],
  history: [...paths(), ...hashes],
  notes: [{}, { wing: 'secret' }, { order: 'recent' }, { since: '2000-01-01' }, { include_raw: true }],
  wings: [{}],
  overview: [{}],
  revision: [{}],
  index: [{ wing: 'secret' }, { wing: 'homelab' }, {}],
  tunnels: [{ dry_run: true }, {}],
  pending: [{}, ...paths(), { mine: true }, ...paths({ mine: true })],
  gate: paths(),
  sent: paths(),
  promote: [
    ...paths({ wing: 'homelab', hall: 'facts' }),
    { path: 'raw/2026-11-20-remember-the-backup.md', wing: 'secret', hall: 'facts', slug: 'zanzibar' },
  ],
  reject: paths({ reason: 'no' }),
  adopt: [
    ...paths({ wing: 'homelab', hall: 'facts' }),
    { path: 'Projects/plan.md', wing: 'secret', hall: 'facts' },
  ],
  restore: paths(),
  withdraw: paths(),
  unpromote: paths(),
  replace: [
    ...paths({ replaces: 'wiki/homelab/facts/wireguard.md', reason: 'newer', dry_run: true }),
    ...paths().map(({ path }) => ({
      path: 'raw/2026-11-20-remember-the-backup.md',
      replaces: path,
      reason: 'newer',
      dry_run: true,
    })),
  ],
  confirm: paths(),
  move: [...paths({ slug: 'elsewhere' }), ...paths({ wing: 'secret' })],
  snooze: paths(),
  rules: [{}],
  setRule: [
    { name: 'ci', by: 'intern', dry_run: true },
    { name: 'ci', by: 'intern', wing: 'secret' },
  ],
  ingest: [
    { text: '# Zanzibar\n\nThe zanzibar backup tunnel password hint.' },
    { text: 'A file about zanzibar.\n', wing: 'homelab', hall: 'sources', destination: 'wiki' },
    { text: 'A file about zanzibar.\n', wing: 'secret', hall: 'sources', destination: 'wiki', dry_run: true },
    { text: '# Noise\n\nRejected zanzibar.\n' },
    { text: `# Batch\n\n${LINKING}`, title: 'Remember the backup' },
  ],
  ingestPath: paths({ dry_run: true }),
  ingestFile: [{ name: 'zanzibar.txt' }],
  openBatch: [{ label: 'zanzibar' }],
  dropBatch: [{ batch: 'none' }],
  sendBatchFile: [{ batch: 'none', name: 'zanzibar.txt' }],
  runBatch: [{ batch: 'none' }],
  openImport: [{ name: 'zanzibar' }],
  imports: [{}, { name: 'zanzibar' }],
  adoptImport: [{ name: 'zanzibar' }],
  takeImportBack: [{ name: 'zanzibar' }],
  ingestRaw: [
    {
      pages: [
        {
          title: 'Zanzibar',
          content: '# Zanzibar\n\nThe zanzibar backup tunnel password hint.',
          wing: 'secret',
          hall: 'facts',
        },
        { title: 'Page', content: LINKING, wing: 'homelab', hall: 'facts', slug: 'page' },
      ],
      destination: 'wiki',
    },
    {
      pages: [
        { title: 'Noise', content: '# Noise\n\nRejected zanzibar.' },
        { title: 'Links', content: LINKING },
      ],
    },
  ],
  backfillRefs: [{ dry_run: true }],
  reExtract: paths(),
  ingestInbox: [{ dry_run: true }],
  retryQuarantined: paths(),
  job: [{ id: 'none' }],
  cancelJob: [{ id: 'none' }],
  backfill: [{}],
  cancelBackfill: [{}],
  mendLinks: [{ dry_run: true }],
  chooseAttachments: [{ read: false }],
  passRate: [{}, { skill: 'deploy' }],
  logSessions: [{ records: [{ skill: 'deploy', status: 'pass' }] }],
  editRoot: [{ content: '# Guide\n\nNew.', reason: 'new' }],
  decisions: [{}, { by: 'human:me' }, { kind: 'rejected' }, ...paths()],
  audit: [{}],
  verifyAudit: [{}],
  undo: [{ by: 'human:me', since: '7d', dry_run: true }],
  undos: [{}],
  undoBack: [{ undo: 'none' }],
  forget: [{ path: 'wiki/a/facts/none.md', dry_run: true }],
  status: [{}, { probe: true }],
};

const { query, write, capture: captures } = CASES;

/** At least one call of every tool; a test holds it complete. Tools without an entry of their own get the cases of a route. */
const TOOL_CASES: Readonly<Record<string, readonly Input[]>> = {
  brain_query: query.map(({ query: text, wing }) => ({ query: text, ...(wing !== undefined && { wing }) })),
  brain_write: write.filter(({ wing, dry_run }) => wing !== undefined && dry_run === undefined),
  capture: captures,
  brain_ingest: [{ text: '# Zanzibar\n\nThe zanzibar backup.' }, ...paths(), { job: 'none' }],
  brain_forget: [...paths(), { path: 'zanzibar' }].map((input) => ({ ...input, reason: 'x' })),
  brain_log_session: [{ skill: 'deploy', status: 'pass' }],
  brain_overview: [{}],
};

const byTool = new Map<string, OperationName>(
  Object.entries<Descriptor>(DESCRIPTORS).flatMap(([name, { tool }]): [string, OperationName][] => {
    const known = Object.keys(CASES).find((each): each is OperationName => each === name);
    return tool === undefined || known === undefined ? [] : [[tool, known]];
  }),
);

function casesOfTool(tool: string): readonly Input[] {
  const own = TOOL_CASES[tool];
  if (own !== undefined) return own;
  const name = byTool.get(tool);
  return name === undefined ? [] : CASES[name].map(({ dry_run: _, ...input }) => input);
}

const RESOURCES = [
  'brain://root',
  'brain://wing/secret/index',
  'brain://wing/homelab/index',
  'brain://wing/nowhere/index',
  ...[...PATHS, ...NAMES].map((path) => `brain://note/${path}`),
];

let full: World;
let bare: World;
beforeEach(async () => {
  [full, bare] = await Promise.all([openWorld(true), openWorld(false)]);
});
afterEach(() => Promise.all([full.close(), bare.close()]));

async function expectSame(what: string, ask: (world: World) => Promise<string>): Promise<void> {
  const [one, other] = [await ask(full), await ask(bare)];
  expect(`${what}\n${one}`).toBe(`${what}\n${other}`);
}

function requestOf(
  name: OperationName,
  input: Input,
): readonly [method: string, path: string, body?: unknown] {
  const { method, path } = DESCRIPTORS[name];
  if (method === 'POST') return [method, path, input];
  const search = new URLSearchParams(
    Object.entries(input).map(([key, value]): [string, string] => [key, String(value)]),
  );
  return [method, `${path}?${search.toString()}`];
}

const NAMES_OF_OPERATIONS = Object.keys(CASES).filter((name): name is OperationName => name in DESCRIPTORS);

it('has a call of every operation and of every tool', () => {
  expect(NAMES_OF_OPERATIONS.sort()).toEqual(Object.keys(DESCRIPTORS).sort());
  for (const name of NAMES_OF_OPERATIONS) expect(CASES[name].length).toBeGreaterThan(0);
  expect(TOOLS.filter(({ name }) => casesOfTool(name).length === 0).map(({ name }) => name)).toEqual([]);
});

it.each(Object.keys(TOKENS))('answers %s over HTTP as if there were nothing else', async (token) => {
  for (const name of NAMES_OF_OPERATIONS) {
    for (const input of CASES[name]) {
      const what = `${name} ${JSON.stringify(input)}`;
      await expectSame(what, (world) => world.ask(token, ...requestOf(name, input)));
    }
  }
  // What the calls have written is seen by the searches that follow.
  for (const name of ['query', 'wings', 'overview', 'pending', 'note', 'history'] as const) {
    for (const input of CASES[name])
      await expectSame(name, (world) => world.ask(token, ...requestOf(name, input)));
  }
});

it.each(Object.keys(TOKENS))('answers %s over MCP as if there were nothing else', async (token) => {
  await expectSame('tools/list', (world) => world.rpc(token, 'tools/list'));
  for (const { name } of TOOLS) {
    for (const args of casesOfTool(name)) {
      const what = `${name} ${JSON.stringify(args)}`;
      await expectSame(what, (world) => world.rpc(token, 'tools/call', { name, arguments: args }));
    }
  }
  await expectSame('resources/list', (world) => world.rpc(token, 'resources/list'));
  for (const wing of ['homelab', 'secret', 'nowhere']) {
    const params = { name: 'resume', arguments: { task: 'the zanzibar backup', wing } };
    await expectSame(`resume ${wing}`, (world) => world.rpc(token, 'prompts/get', params));
  }
  for (const uri of RESOURCES) await expectSame(uri, (world) => world.rpc(token, 'resources/read', { uri }));
  for (const [uri, name] of [
    ['brain://wing/{wing}/index', 'wing'],
    ['brain://note/{+path}', 'path'],
  ] as const) {
    for (const value of ['', 's', 'wiki/s', 'wiki/homelab', 'raw', 'k', 'P']) {
      const params = { ref: { type: 'ref/resource', uri }, argument: { name, value } };
      await expectSame(`${uri} ${value}`, (world) => world.rpc(token, 'completion/complete', params));
    }
  }
});

it.each(Object.keys(BLIND))(
  'answers %s, who may not read, as if there were no note of others, but for names that are taken',
  async (token) => {
    await bare.close();
    bare = await openWorld(false, true);
    for (const name of NAMES_OF_OPERATIONS) {
      // Who may do these does them to the notes of others, and is told nothing of their contents.
      const { scope, whole }: Pick<Operation, 'scope' | 'whole'> = OPERATIONS[name];
      if (whole === true || scope === 'review' || scope === 'admin') continue;
      for (const input of CASES[name]) {
        const one = await full.ask(token, ...requestOf(name, input));
        // Nothing was changed, so the worlds stay in step without the same call in the other one.
        if (one.includes('"taken"')) continue;
        const other = await bare.ask(token, ...requestOf(name, input));
        const what = `${name} ${JSON.stringify(input)}`;
        expect(`${what}\n${one}`).toBe(`${what}\n${other}`);
      }
    }
    await expectSame('tools/list', (world) => world.rpc(token, 'tools/list'));
  },
);

it('asks for what the hidden notes would change: the owner is told other things', async () => {
  const differ = new Set<string>();
  const asked = [
    'query',
    'answer',
    'context',
    'note',
    'neighbours',
    'file',
    'history',
    'wings',
    'overview',
    'revision',
    'pending',
    'gate',
    'status',
  ] as const;
  for (const name of [
    ...asked,
    'passRate',
    'write',
    'index',
    'capture',
    'ingest',
    'ingestRaw',
    'logSessions',
  ] as const) {
    for (const input of CASES[name]) {
      const [one, other] = [full, bare].map((world) => world.ask('owner', ...requestOf(name, input)));
      if ((await one) !== (await other)) differ.add(name);
    }
  }
  expect([...differ].sort()).toEqual(
    [...asked, 'passRate', 'write', 'index', 'capture', 'ingest', 'ingestRaw', 'logSessions'].sort(),
  );
});

it('tells an intern of its own notes', async () => {
  const found = await full.ask('intern', 'POST', '/query', { query: 'backup tunnel' });
  expect(found).toContain('wiki/homelab/facts/mtu.md');
  expect(found).toContain('wiki/homelab/decisions/vpn.md');
  expect(found).not.toContain('"wiki/secret');
  const note = await full.ask('intern', 'GET', '/note?path=wiki/homelab/decisions/vpn.md');
  expect(JSON.parse(note.slice(note.indexOf('{')))).toMatchObject({
    outgoing: ['wiki/homelab/facts/mtu.md'],
    backlinks: ['wiki/homelab/facts/mtu.md'],
  });
});
