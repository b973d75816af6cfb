import { Readable } from 'node:stream';
import { AuditLog } from '../../src/core/audit/log';
import { fileAnswer } from '../../src/core/answer/file';
import { backfillRefs } from '../../src/core/ingest/backfill-refs';
import { ingestDropped, ingestPages, ingestPath, ingestText } from '../../src/core/ingest/operations';
import { reExtract } from '../../src/core/ingest/re-extract';
import { openBatch, runBatch, sendBatchFile } from '../../src/core/ingest/upload-batch';
import { capture } from '../../src/core/notes/capture';
import { editRoot } from '../../src/core/notes/root';
import { indexWings } from '../../src/core/wings/operations';
import { updateNote } from '../../src/core/notes/update';
import { writeNote } from '../../src/core/notes/write';
import { adoptNote, promoteNote } from '../../src/core/review/promote';
import { rebuildTunnels } from '../../src/core/review/tunnels';
import { confirmNote } from '../../src/core/review/confirm';
import { mendLinks } from '../../src/core/review/left-links';
import { moveNote } from '../../src/core/review/move';
import { replaceNote } from '../../src/core/review/replace';
import { rejectNote, withdrawNote } from '../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../src/core/review/return';
import { snoozeNote } from '../../src/core/review/snooze';
import { listUndos } from '../../src/core/undo/record';
import { redo } from '../../src/core/undo/redo';
import { undoWriter } from '../../src/core/undo/undo';
import { sha256 } from '../../src/core/base/hash';
import { logSession } from '../../src/core/sessions/log';
import { refreshCatalog } from '../../src/core/catalog/load';
import { vaultPath } from '../../src/core/vocabulary/paths';
import { agent, person } from '../support/test-brain';
import { changeVault } from '../../src/core/operation/change';
import { perform } from '../../src/core/operation/operation';
import type { Image, Running } from './world';

const ROOT_NOTE = '# Root\n\nHow to use this vault.\n';
/** Its link stands where no map shows it. */
const OTHER = `# Other\n\nSomething else. ${'More of it. '.repeat(30)}\n\nSee [[raw/2026-11-19-mtu]].\n`;

/** A small vault of which every act changes something. */
export const FILES: Image = {
  'AGENTS.md': ROOT_NOTE,
  'wiki/home/facts/other.md': `---\nwing: home\nhall: facts\norigin: mcp\nwritten_by: me\nkept: "as it is"\n---\n${OTHER}`,
  'wiki/home/facts/dns.md':
    '---\nwing: home\nhall: facts\npromoted_at: 2026-11-02T00:00:00Z\n---\n# DNS\n\nNames. Mind the jumbo frames.\n',
  'wiki/net/facts/mtu.md':
    '---\nwing: net\nhall: facts\norigin: mcp\nwritten_by: me\npromoted_at: 2026-11-02T00:00:00Z\n---\n# Jumbo frames\n\nNine thousand.\n',
  'wiki/net/facts/cable.md': '# Cable\n\nSource: https://e.org/cable\n\nCopper.\n',
  'wiki/lab/facts/mine.md': '# Mine\n\nA wing that no agent has written to.\n',
  'knowledge/old.md': '---\nurl: https://e.org/old\n---\n# Old\n\nSource: https://e.org/old\n',
  'raw/2026-11-19-mtu.md': '---\ncustom: "kept"\n---\n# MTU\n\nWireGuard wants 1420. ß生\r\n',
  'raw/2026-11-17-own.md': '---\nwritten_by: laptop\n---\n# Own\n',
  'raw/2026-11-18-noise.md': '# Noise\n\nNobody wants it.\n',
  'raw/rejected/2026-11-17-late.md':
    '---\nrejected_at: 2026-11-18T00:00:00Z\nrejected_by: human:me\n---\n# Late\n\nPerhaps.\n',
  'Projects/plan.md': '\uFEFF---\r\nmine: yes # so\r\n---\r\nThe plan of the owner.\r\n',
  'Projects/list.md': 'First [[Projects/plan]].\n',
  'inbox/report.txt': 'The report says that copper is cheap.\n',
  'sessions/2026-11.other.jsonl': '{"skill":"a","status":"pass","timestamp":"2026-11-01T00:00:00Z"}\n',
  'wiki/empty/hall/': '',
};

/** Something that is asked of the service and changes the vault. */
export interface Act {
  /** What was done before, without faults. */
  readonly prepare?: (running: Running) => Promise<unknown>;
  /** Resolves when the service has acknowledged it. */
  readonly run: (running: Running) => Promise<unknown>;
  /**
   * True when it consists of several changes, each all or nothing: a cut may leave some of them, and doing it again does the
   * rest and nothing twice.
   */
  readonly resumes?: boolean;
  /** True when what it makes can be made again from the notes, so that it is not synced. */
  readonly derived?: boolean;
  /** The log that it adds to, of which the end may be torn by a crash. */
  readonly log?: string;
  /** Notes whose links follow the act where that is possible, and stay as they are where it is not. */
  readonly follow?: readonly string[];
}

/** What an agent did that is to be taken back: a note changed, one made, and one promoted. */
async function misdeeds({ run }: Running): Promise<void> {
  const update = { content: '# Other\n\nWrong.\n', reason: 'better' };
  await run(updateNote, { path: 'wiki/home/facts/other.md', ...update });
  await run(writeNote, { wing: 'home', hall: 'facts', slug: 'new', content: '# New\n\nMade up.\n' });
  await run(promoteNote, { path: 'raw/2026-11-18-noise.md', wing: 'home', hall: 'facts' });
}

/** A move of the owner's plan by hand. */
const MOVED = { from: vaultPath('Projects/plan.md'), path: vaultPath('Projects/2026/plan.md') };

/** Another program moves the owner's plan, and the service records it. */
async function moveByHand({ brain }: Running): Promise<void> {
  await brain.vault.move(MOVED.from, MOVED.path);
  brain.catalog.markDirty({ kind: 'changed', path: MOVED.from });
  brain.catalog.markDirty({ kind: 'changed', path: MOVED.path });
  await refreshCatalog(brain);
  const plan = { op: 'follow', steps: [], data: { moved: MOVED } };
  await changeVault(brain, async () => ({ plan, result: undefined }));
}

const undoOf = { by: agent.name, since: '1d' };

async function undo({ run, brain }: Running): Promise<unknown> {
  const { plan, count } = await perform(brain, undoWriter, { ...undoOf, dry_run: true }, agent);
  expect(count).toBe(3);
  return run(undoWriter, { ...undoOf, plan });
}

async function sendFolder({ run, brain }: Running): Promise<void> {
  const { batch } = await perform(brain, openBatch, { label: 'metal' }, agent);
  const files = {
    'copper.txt': '# Copper\n\nCheap: ![[img/wire.png]], unlike [[tin]].\n',
    'tin.txt': '# Tin\n\nDear, unlike [[copper]].\n',
    'img/wire.png': 'PNG of a wire',
  };
  for (const [name, words] of Object.entries(files)) {
    const body = Readable.from([Buffer.from(words)]);
    await perform(brain, sendBatchFile, { batch, name }, agent, { body });
  }
  // A file that fails does not stop the others, which is not what was asked for.
  expect(await run(runBatch, { batch })).toMatchObject({ errors: [], counts: { attached: 1 } });
}

const text = 'The text says that copper is cheap.\n\nMore of it.\n';
const page = (title: string) => ({ title, content: `About ${title}. See [[Copper]] and [[Tin]].` });

export const ACTS: Readonly<Record<string, Act>> = {
  write: {
    run: ({ run }) =>
      run(writeNote, {
        wing: 'home',
        hall: 'facts',
        slug: 'new',
        content: '# New\n\nSee [[other]] and [[x]].\n',
      }),
  },
  'write into new folders': {
    run: ({ run }) =>
      run(writeNote, { wing: 'bench', hall: 'failures', slug: 'new', content: '# New\n\nBroke.\n' }),
  },
  'write without an address': { run: ({ run }) => run(writeNote, { content: '# Plain\n\nWords.\n' }) },
  overwrite: {
    run: ({ run }) =>
      run(writeNote, {
        wing: 'home',
        hall: 'facts',
        slug: 'other',
        content: '# Over\n\nIt.\n',
        overwrite: true,
      }),
  },
  update: {
    run: ({ run }) =>
      run(updateNote, {
        path: 'wiki/home/facts/other.md',
        content: '# Other\n\nNew words.\n',
        reason: 'better',
      }),
  },
  capture: { run: ({ run }) => run(capture, { text: 'A thought about copper.' }) },
  promote: {
    run: ({ run }) => run(promoteNote, { path: 'raw/2026-11-19-mtu.md', wing: 'home', hall: 'facts' }),
    follow: ['wiki/home/facts/other.md'],
  },
  'promote into a new wing': {
    run: ({ run }) => run(promoteNote, { path: 'raw/2026-11-19-mtu.md', wing: 'tunnel', hall: 'decisions' }),
    follow: ['wiki/home/facts/other.md'],
  },
  reject: { run: ({ run }) => run(rejectNote, { path: 'raw/2026-11-18-noise.md', reason: 'noise' }) },
  withdraw: {
    run: ({ run }) => run(withdrawNote, { path: 'raw/2026-11-17-own.md' }),
  },
  'mend links': {
    prepare: moveByHand,
    run: ({ run }) => run(mendLinks, {}),
    follow: ['Projects/list.md'],
  },
  snooze: {
    run: ({ run }) => run(snoozeNote, { path: 'raw/2026-11-18-noise.md' }),
  },
  restore: { run: ({ run }) => run(restoreNote, { path: 'raw/rejected/2026-11-17-late.md' }) },
  adopt: {
    run: ({ run }) => run(adoptNote, { path: 'Projects/plan.md', wing: 'home', hall: 'decisions' }),
    follow: ['Projects/list.md'],
  },
  'give an adopted note back': {
    prepare: ({ run }) => run(adoptNote, { path: 'Projects/plan.md', wing: 'home', hall: 'decisions' }),
    run: ({ run }) => run(unpromoteNote, { path: 'wiki/home/decisions/plan.md' }),
    follow: ['Projects/list.md'],
  },
  replace: {
    run: ({ run }) =>
      run(replaceNote, {
        path: 'raw/2026-11-19-mtu.md',
        replaces: 'wiki/net/facts/mtu.md',
        reason: 'newer',
      }),
    follow: ['wiki/home/facts/other.md'],
  },
  'take a replacement back': {
    prepare: ({ run }) =>
      run(replaceNote, { path: 'raw/2026-11-19-mtu.md', replaces: 'wiki/net/facts/mtu.md', reason: 'newer' }),
    run: ({ run }) => run(unpromoteNote, { path: 'wiki/net/facts/mtu.md' }),
    follow: ['wiki/home/facts/other.md'],
  },
  confirm: { run: ({ brain }) => perform(brain, confirmNote, { path: 'wiki/net/facts/mtu.md' }, person) },
  move: {
    run: ({ brain }) =>
      perform(brain, moveNote, { path: 'wiki/net/facts/mtu.md', hall: 'hypotheses', slug: 'frames' }, person),
  },
  unpromote: { run: ({ run }) => run(unpromoteNote, { path: 'wiki/home/facts/dns.md' }) },
  undo: { prepare: misdeeds, run: undo },
  'undo back': {
    async prepare(running) {
      await misdeeds(running);
      await undo(running);
    },
    async run({ run, brain }) {
      const { undos } = await perform(brain, listUndos, {}, agent);
      return run(redo, { undo: undos[0]?.undo });
    },
    // That it was taken back is noted down afterwards.
    resumes: true,
  },
  'edit-root': {
    run: ({ run }) =>
      run(editRoot, { content: '# Root\n\nNew.\n', reason: 'clearer', expected_hash: sha256(ROOT_NOTE) }),
  },
  revert: {
    prepare: ({ run }) =>
      run(updateNote, {
        path: 'wiki/home/facts/other.md',
        content: '# Other\n\nNew words.\n',
        reason: 'better',
      }),
    // What the screens do to revert: the text of an older version becomes a new one.
    run: ({ run }) =>
      run(updateNote, { path: 'wiki/home/facts/other.md', content: OTHER, reason: 'reverted' }),
  },
  'file an answer': {
    run: ({ run }) =>
      run(fileAnswer, {
        query: 'What is dear?',
        answer: 'Nothing [1].',
        citations: [{ n: 1, path: 'wiki/home/facts/dns.md', quote: 'Names. Mind the jumbo frames.' }],
      }),
  },
  sessions: {
    log: 'sessions/2026-11.test.jsonl',
    run: ({ run }) =>
      run(logSession, {
        records: [
          { skill: 'build', status: 'pass' },
          { skill: 'b', status: 'skip' },
        ],
      }),
  },
  index: { run: ({ run }) => run(indexWings, { wing: 'lab' }), resumes: true, derived: true },
  'rebuild-tunnels': {
    async run({ run }) {
      const answer = await run(rebuildTunnels, {});
      // A note that cannot be read is passed over with a warning, which is not what was asked for.
      expect(answer).toMatchObject({ warnings: [] });
    },
    resumes: true,
  },
  'backfill-refs': { run: ({ run }) => run(backfillRefs, {}), resumes: true },
  ingest: { run: ({ run }) => run(ingestText, { text, title: 'Copper' }), resumes: true },
  'ingest into the wiki': {
    run: ({ run }) =>
      run(ingestText, { text, title: 'Copper', wing: 'metal', hall: 'sources', destination: 'wiki' }),
    resumes: true,
  },
  'ingest-path': { run: ({ run }) => run(ingestPath, { path: 'inbox/report.txt' }), resumes: true },
  'ingest a folder with an image': { run: sendFolder, resumes: true },
  'ingest a dropped file': {
    run: ({ run }) => run(ingestDropped, { name: 'metal.txt', bytes: Buffer.from(text) }),
    resumes: true,
  },
  'ingest-raw': {
    run: ({ run }) =>
      run(ingestPages, {
        pages: [page('Copper'), page('Tin')],
        source: 'https://e.org/metal',
        wing: 'metal',
        hall: 'facts',
        destination: 'wiki',
      }),
    resumes: true,
  },
  're-extract': {
    prepare: ({ run }) => run(ingestText, { text, title: 'Copper' }),
    run({ run, model, brain }) {
      const lists = { tags: [], links: [], evidence: ['copper is cheap'] };
      const texts = { wing: 'metal', hall: 'facts', summary: '', half_life: '', applies: '' };
      model.script({ say: { pages: [{ title: 'Cheap copper', body: 'It is.', ...lists, ...texts }] } });
      const [note] = [...brain.catalog.notes('raw')].filter(
        ({ frontmatter }) => 'extracted_by' in frontmatter,
      );
      return run(reExtract, { path: note?.path });
    },
  },
  'a call with its line in the audit log': {
    async run({ run, brain }) {
      const log = new AuditLog({ state: brain.state, clock: brain.clock, device: brain.device });
      await log.open();
      await run(writeNote, { wing: 'home', hall: 'facts', slug: 'new', content: '# New\n\nIt.\n' });
      const entry = {
        ts: '2026-11-20T10:32:00Z',
        id: '1',
        tool: 'brain_write',
        actor: 'laptop',
        auth: 'write',
      };
      await log.record({ ...entry, ok: true, args: {}, paths: [], unlinked: 0, duration_ms: 1 }, true);
    },
    resumes: true,
  },
};
