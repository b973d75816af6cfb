import { redactAudit } from '../audit/log';
import { isSha, type Sha } from '../base/hash';
import { isRecord, parsedJson } from '../base/json';
import { snapshotPath } from '../catalog/snapshot';
import { PROCESSED } from '../documents/paths';
import { hasBytesOf } from '../ingest/original';
import type { Brain } from '../operation/context';
import { historyPath } from '../storage/history';
import { journalPath } from '../storage/journal';
import { fileName, stemOf, type VaultPath } from '../vocabulary/paths';
import { type Named, Redaction } from './redact';

/** Files of the state that hold records in JSON. The chained logs keep a chain of hashes and are rewritten by their own module. */
const RECORDS = /\.jsonl?$/;
const CHAINED = /^audit(?:-resources)?\/\d/;

/**
 * Removes what this device keeps of a note besides its file: versions, the original, texts as sent, pages that were prepared of its
 * document, the snapshot, vectors, and its place in all records. Idempotent, so that a sweep that was cut is done again. Resolves
 * false while the journal has a plan that is not settled, whose texts stay until the next start.
 */
export async function sweep(brain: Brain, named: Named): Promise<boolean> {
  const { state, servers, device } = brain;
  const redaction = new Redaction(named);
  for (const hash of named.hashes) {
    await removeOriginal(brain, hash);
    await state.remove(historyPath(hash));
  }
  await state.remove(snapshotPath(servers.localOf(device)));
  for (const path of await state.list('')) {
    if (!RECORDS.test(path) || CHAINED.test(path) || !(await isOurs(brain, path))) continue;
    if (OF_TEXT.test(path) && (await isOfNote(brain, path, redaction))) await state.remove(path);
    else if (path !== journalPath(device)) await rewrite(brain, path, redaction);
  }
  await redactAudit(brain, (value) => redaction.names(value));
  // Last, because it may fail where its store is away; the sweep is done again then.
  await brain.hybrid?.forget([...named.paths]);
  brain.ledger.readAnew();
  brain.versions.forget(named.hashes);
  return brain.writer.run(async () => {
    if (brain.journal.hasUnfinished) return false;
    await brain.journal.clear();
    return true;
  });
}

/** The files that are about one text: as it was sent, and the pages that were prepared of a document. */
const OF_TEXT = /^local\.[^/]+\/(?:door|prepared)\//;

/** Removes the copy of a document that the service keeps. */
async function removeOriginal(brain: Brain, source: Sha): Promise<void> {
  const { ledger, vault, catalog } = brain;
  const path = (await ledger.find(source))?.original ?? null;
  if (path === null || !path.startsWith(`${PROCESSED}/`) || !(await hasBytesOf(brain, path, source))) return;
  await vault.remove(path);
  catalog.drop(path);
}

/** Returns true for a file about one text: its name is the hash of the text, or its first line names the note. */
async function isOfNote(
  { state }: Pick<Brain, 'state'>,
  path: string,
  redaction: Redaction,
): Promise<boolean> {
  const hash = stemOf(fileName(path).replace(/\.jsonl?$/, '.md'));
  if (isSha(hash) && redaction.named.hashes.has(hash)) return true;
  const text = await state.read(path);
  const head = parsedJson(text?.slice(0, text.indexOf('\n')) ?? '');
  return isRecord(head) && redaction.isAbout(head);
}

async function rewrite(
  { state, pace }: Pick<Brain, 'state' | 'pace'>,
  path: string,
  redaction: Redaction,
): Promise<void> {
  const bytes = await state.readBytes(path);
  // Most files do not name it, and those are not locked.
  if (bytes === null || (await pace.run(() => redaction.bytes(bytes))) === null) return;
  await state.rewrite(path, (now) => pace.run(() => redaction.bytes(now)));
}

/** The files that one device alone writes, with its name in theirs. */
const OF_DEVICE =
  /^(?:past\/([0-9a-z-]{1,32})\.[0-9a-z]+\.\d+|(?:changes|sources)\/\d{4}-\d\d\.([0-9a-z-]{1,32})|(?:origins|snoozed)\/([0-9a-z-]{1,32})|audit\/root-edits\.([0-9a-z-]{1,32})|ledger\.([0-9a-z-]{1,32}))\.jsonl$|^local\.([0-9a-z-]{1,32})\//;

/** Returns true for a file that this device may rewrite: the others rewrite theirs, but where all servers share a database. */
async function isOurs(
  { device, servers }: Pick<Brain, 'device' | 'servers'>,
  path: string,
): Promise<boolean> {
  if (servers.store === 'database') return true;
  const writer = OF_DEVICE.exec(path)
    ?.slice(1)
    .find((name) => name !== undefined);
  return writer === undefined || writer === device;
}

/**
 * Returns the paths that records of this device name, those beside one of the hashes first, without those of other notes; none when
 * no record has one of the hashes.
 */
export async function pathsNamed(brain: Brain, hashes: ReadonlySet<Sha>): Promise<Set<VaultPath>> {
  const { state, pace, catalog } = brain;
  const isHash = new RegExp(hashes.size === 0 ? '(?!)' : [...hashes].join('|'));
  const beside = new Set<string>();
  const others = new Set<string>();
  for (const file of await state.list('')) {
    if (!RECORDS.test(file) || !(await isOurs(brain, file))) continue;
    for (const line of ((await state.read(file)) ?? '').split('\n')) {
      await pace.run(() => {
        for (const path of pathsIn(parsedJson(line))) (isHash.test(line) ? beside : others).add(path);
      });
    }
  }
  if (beside.size === 0) return new Set();
  const isCandidate = (path: string): path is VaultPath => {
    const note = catalog.record(path as VaultPath); // It is looked up, and nothing else yet.
    return note === undefined || hashes.has(note.content_hash);
  };
  return new Set([...beside, ...others].filter(isCandidate));
}

function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return /^[^\n]{1,1100}\.md$/i.test(value) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [...pathsIn(key), ...pathsIn(each)]);
}
