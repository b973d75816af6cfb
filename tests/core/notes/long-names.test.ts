import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openNodeState } from '../../../src/adapters/files/state-folder';
import { StopController } from '../../../src/core/base/concurrency';
import { settleConfig } from '../../../src/core/config/config';
import { ingestInboxFile } from '../../../src/core/inbox/drain';
import { retryQuarantined } from '../../../src/core/inbox/operations';
import { ingestText } from '../../../src/core/ingest/operations';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import type { Brain } from '../../../src/core/operation/context';
import { type Operation, perform } from '../../../src/core/operation/operation';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import { openBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openVault } from '../../support/node-vault-subject';
import { fakeDocuments } from '../../support/fake-documents';
import { fixedClock } from '../../support/fixed-clock';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';
import { agent, NOW } from '../../support/test-brain';
import { alone } from '../../../src/core/ports/ports';

const device = 'test';
/** Longer than any file system has names. */
const LONG = 'a'.repeat(260);
const LONG_CJK = '東'.repeat(90);

/** A service on a vault of the real disk, which refuses such names by an error of its own. */
function withBrain(work: (brain: Brain, root: string) => Promise<void>): Promise<void> {
  return withTempFolder(async (root) => {
    const folders = ['wiki', 'knowledge', 'raw/rejected', 'inbox/quarantine/2026-11-20', 'inbox/processed'];
    for (const folder of folders) await mkdir(path.join(root, folder), { recursive: true });
    const vault = await openVault(root, { device });
    const state = await openNodeState(root, { device });
    const ports = {
      vault,
      state,
      clock: fixedClock(NOW),
      log: silentLog(),
      documents: fakeDocuments(),
      servers: alone,
    };
    const opened = await openBrain(ports, settleConfig({}, {}), {
      device,
      version: '0.0.0-test',
      sleep: () => new Promise(() => undefined),
      breathe: async () => undefined,
    });
    try {
      await opened.loaded;
      await work(opened.brain, root);
    } finally {
      await opened.close();
      await vault.close();
      await state.close();
    }
  });
}

it.each<[Operation, object, string]>([
  [promoteNote, { path: `raw/${LONG}.md`, wing: 'w', hall: 'facts' }, 'source_missing'],
  [rejectNote, { path: `raw/${LONG}.md` }, 'source_missing'],
  [restoreNote, { path: `raw/rejected/${LONG}.md` }, 'source_missing'],
  [getNote, { path: `knowledge/${LONG}.md` }, 'note_not_found'],
  [getNote, { path: `knowledge/${LONG_CJK}.md` }, 'note_not_found'],
  [getNote, { path: `wiki/${LONG}/facts/a.md` }, 'note_not_found'],
  [updateNote, { path: `knowledge/${LONG}.md`, content: 'x', reason: 'r' }, 'note_not_found'],
  [retryQuarantined, { path: `inbox/quarantine/2026-11-20/${LONG}.md` }, 'source_missing'],
])('what has a name that no disk can hold is not there: %#', (op, input, code) =>
  withBrain(async (brain) => {
    await expect(perform(brain, op, input, agent)).rejects.toMatchObject({ code });
  }),
);

it.each([
  `![x](${LONG}.png)`,
  `[[${LONG}.pdf]]`,
  `[[${LONG_CJK}]]`,
  `[[${LONG_CJK}.png]]`,
  `![[inbox/processed/${LONG}.pdf]]`,
  `![[${LONG}/${'b/'.repeat(200)}c.pdf]]`,
])('a link to a name that no disk can hold leads nowhere, whichever door it comes by: %#', (link) =>
  withBrain(async (brain, root) => {
    const content = `Seen in ${link} yesterday.`;
    const written = await perform(brain, writeNote, { content, filename: 'seen' }, agent);
    expect(written.refs).toMatchObject([{ unlinked: true, reason: 'missing' }]);
    const ingested = await perform(brain, ingestText, { text: `${content} Sent.` }, agent);
    expect(ingested).toMatchObject({ pages: [{ status: 'written', refs: [{ unlinked: true }] }] });
    const dropped = vaultPath('inbox/seen.md');
    await writeFile(path.join(root, dropped), `${content} Dropped.`);
    expect(await ingestInboxFile(brain, dropped, new StopController())).toBeNull();
  }),
);
