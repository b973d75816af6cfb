import { BrainError } from '../base/errors';
import { sha256, sha256Steps } from '../base/hash';
import { inSlices, refuseStopped, type Watch } from '../base/steps';
import { timestamp } from '../base/time';
import { utf8Text } from '../base/text';
import type { ImportFolder } from '../documents/ports';
import { type Change, changeVault } from '../operation/change';
import type { Brain } from '../operation/context';
import { readHistory } from '../storage/history';
import type { Plan, Step } from '../storage/plan';
import { folderOf, type VaultPath, vaultPath } from '../vocabulary/paths';
import { addTurn, allReports, KEPT_MS, type MadeFile, readReport, type Report, stateOf } from './report';

/** The notes of one change, and their text (UTF-16 units): it holds the writer lock, and is written into the journal first. */
const MAX_NOTES = 100;
const MAX_CHARS = 4 * 1024 * 1024;

/** Files of an import that were not written, or not taken away, with the reason. */
interface Undone {
  readonly path: VaultPath;
  readonly why: string;
}

/** Who changes the vault: the caller of an operation, or the service for whoever imported. */
type Acting = Pick<Brain, 'whole' | 'pace' | 'limits' | 'acting' | 'intend'>;

/**
 * Does work on an import while nothing else does.
 * @throws BrainError `busy` while it is being written or taken back
 */
export async function aloneOn<T>(
  { whole }: Pick<Brain, 'whole'>,
  { id, name }: Pick<Report, 'id' | 'name'>,
  work: () => Promise<T>,
): Promise<T> {
  if (whole.busyImports.has(id))
    throw new BrainError(
      'busy',
      `The import "${name}" is being written or taken back. Try again when that has ended.`,
      {
        retry_after: 5,
      },
    );
  whole.busyImports.add(id);
  try {
    return await work();
  } finally {
    whole.busyImports.delete(id);
  }
}

/**
 * Writes the files of an import that are not in the vault yet: first those beside notes, then the notes. It may run again after any
 * cut. A file at whose path another one stands is left out and told.
 * @throws BrainError `busy` when the signal stops: what is written stays, and a later run goes on
 */
export async function writeImport(
  brain: Brain,
  report: Report,
  folder: ImportFolder,
  watch: Watch,
): Promise<Undone[]> {
  const undone: Undone[] = [];
  // A repeated import writes what it adds: what the owner has deleted since stays away.
  const isBack = report.turns.at(-1)?.turn === 'returning';
  const files = report.files.filter(({ run }) => isBack || run === report.turns.length - 1);
  let done = 0;
  const told = (count: number): void => {
    done += count;
    watch.progress?.({ done, total: files.length, phase: 'writing' });
  };
  for (const made of files.filter(({ kind }) => kind === 'file')) {
    refuseStopped(watch.signal);
    const standing = await hashAt(brain, made);
    if (standing === null && (await folder.factsOf(made.file)).hash !== made.hash) undone.push(missing(made));
    else if (standing === null ? !(await folder.keepAt(made.file, made.path)) : standing !== made.hash)
      undone.push({ path: made.path, why: 'Another file stands there.' });
    told(1);
  }
  const notes = files.filter(({ kind }) => kind === 'note');
  for (let at = 0; at < notes.length;) {
    refuseStopped(watch.signal);
    const steps: Step[] = [];
    let chars = 0;
    const first = at;
    for (; at < notes.length && steps.length < MAX_NOTES && chars < MAX_CHARS; at += 1) {
      const made = notes[at];
      if (made === undefined) break;
      const standing = await hashAt(brain, made);
      if (standing === null) {
        const bytes = await folder.read(made.file, 0, Infinity);
        if ((await inSlices(sha256Steps(bytes), brain.pace)) === made.hash) {
          const text = utf8Text(bytes);
          chars += text.length;
          steps.push({ kind: 'create', path: made.path, text });
        } else undone.push(missing(made));
      } else if (standing !== made.hash) undone.push({ path: made.path, why: 'Another note stands there.' });
    }
    if (steps.length > 0) await change(brain, report, 'import', steps, watch);
    told(at - first);
  }
  await addTurn(brain.whole, report.id, { turn: 'written', at: now(brain) });
  await folder.discard();
  return undone;
}

/**
 * Takes an import out of the vault: every file of it that still has the bytes with which it came. The notes stay in the history, and
 * the other files in the folder of the import, so that it can be put back for 30 days. It may run again after any cut.
 */
export async function takeOut(
  brain: Brain,
  report: Report,
  folder: ImportFolder,
  watch: Watch,
): Promise<Undone[]> {
  // A start finds what was cut by its folder.
  await folder.make();
  if (stateOf(report) !== 'leaving')
    await addTurn(brain.whole, report.id, { turn: 'leaving', at: now(brain) });
  const undone: Undone[] = [];
  let done = 0;
  const folders = new Set<VaultPath>();
  const told = (count: number): void => {
    done += count;
    watch.progress?.({ done, total: report.files.length, phase: 'writing' });
  };
  const notes = report.files.filter(({ kind }) => kind === 'note');
  for (let at = 0; at < notes.length; at += MAX_NOTES) {
    refuseStopped(watch.signal);
    const part = notes.slice(at, at + MAX_NOTES);
    const steps: Step[] = [];
    for (const { path, hash } of part) {
      const standing = await hashAt(brain, { path, kind: 'note' });
      if (standing === hash) steps.push({ kind: 'remove', path, before: hash });
      else if (standing !== null) undone.push({ path, why: 'It was changed since, and is left as it is.' });
    }
    if (steps.length > 0) await change(brain, report, 'import-back', steps, watch);
    told(part.length);
  }
  for (const made of report.files) {
    folders.add(vaultPath(folderOf(made.path)));
    if (made.kind === 'note') continue;
    refuseStopped(watch.signal);
    const standing = await hashAt(brain, made);
    if (standing === made.hash) await folder.takeFrom(made.path, made.file);
    else if (standing !== null)
      undone.push({ path: made.path, why: 'It was changed since, and is left as it is.' });
    told(1);
  }
  await brain.whole.vault.removeEmptyFolders(withParents(folders));
  await addTurn(brain.whole, report.id, { turn: 'left', at: now(brain) });
  return undone;
}

/**
 * Puts an import that was taken back into the vault again.
 * @throws BrainError `source_missing` when it was taken back more than 30 days ago, or its bytes are on another device
 */
export async function putBack(
  brain: Brain,
  report: Report,
  folder: ImportFolder,
  watch: Watch,
): Promise<Undone[]> {
  const since = Date.parse(report.turns.at(-1)?.at ?? '');
  if (brain.clock.now().getTime() - since > KEPT_MS)
    throw gone(report, 'It was taken back more than 30 days ago');
  for (const { kind, hash, file, path } of report.files) {
    if (kind === 'note') {
      const text = await readHistory(brain.whole.state, hash);
      // One that was left in the vault, or that was changed since, has no text in the history.
      if (text === null) continue;
      await folder.remove(file);
      await folder.append(file, new TextEncoder().encode(text));
    } else if ((await hashAt(brain, { path, kind })) === null && (await folder.factsOf(file)).hash !== hash)
      throw gone(report, 'Its files were kept on another device');
  }
  await addTurn(brain.whole, report.id, { turn: 'returning', at: now(brain) });
  const returning = await readReport(brain.whole, report.id);
  return returning === null ? [] : writeImport(brain, returning, folder, watch);
}

function gone({ name }: Report, why: string): BrainError {
  return new BrainError(
    'source_missing',
    `The import "${name}" cannot be put back. ${why}. Import it again.`,
  );
}

/**
 * Goes on with what a stop has cut on this device, and removes the folders of imports that nobody needs any more: those that were cut
 * before their first file was written, and those taken back more than 30 days ago.
 */
export async function resumeImports(brain: Brain, watch: Watch): Promise<void> {
  for (const id of (await brain.imports?.ids()) ?? []) {
    const folder = await brain.imports?.open(id);
    const report = await readReport(brain, id);
    if (folder === undefined || watch.signal?.stopped === true) return;
    const state = report === null ? null : stateOf(report);
    const at = Date.parse(report?.turns.at(-1)?.at ?? '');
    if (report === null || state === 'imported') await folder.discard();
    else if (state === 'writing' || state === 'leaving') {
      const goOn = state === 'writing' ? writeImport : takeOut;
      await aloneOn(brain, report, () => goOn(brain, report, folder, watch));
    } else if (brain.clock.now().getTime() - at > KEPT_MS) await folder.discard();
  }
}

/** Returns the folders that only the owner and whoever acts for the owner may read. */
export async function privateFolders(brain: Pick<Brain, 'state' | 'pace'>): Promise<VaultPath[]> {
  return (await allReports(brain)).flatMap(({ only_me: isPrivate, folder }) => (isPrivate ? [folder] : []));
}

async function change(
  brain: Acting,
  report: Report,
  op: string,
  steps: readonly Step[],
  watch: Watch,
): Promise<void> {
  const plan: Plan = {
    op,
    data: { import: { id: report.id, name: report.name } },
    steps,
  };
  await changeVault(brain, async (): Promise<Change<null>> => ({ plan, result: null, forOwner: true }), {
    signal: watch.signal,
  });
}

/** Tells of a file whose bytes are not in the folder of its import. */
function missing({ path }: Pick<MadeFile, 'path'>): Undone {
  return { path, why: 'Its bytes are not on this device. Import it again.' };
}

/** Returns the hash of a file of the vault; null when there is none. */
export async function hashAt(
  brain: Pick<Brain, 'whole'>,
  { path, kind }: Pick<MadeFile, 'path' | 'kind'>,
): Promise<string | null> {
  const { vault, uploads } = brain.whole;
  if (kind === 'file') return (await uploads?.hashOf(path)) ?? null;
  const text = await vault.read(path);
  return text === null ? null : sha256(text);
}

/** Returns the folders of an import and those above. */
function withParents(folders: ReadonlySet<VaultPath>): VaultPath[] {
  const all = new Set<VaultPath>();
  for (const each of folders) {
    for (let at: string = each; at !== ''; at = folderOf(at)) all.add(vaultPath(at));
  }
  return [...all].sort((a, b) => a.length - b.length);
}

function now({ clock }: Pick<Brain, 'clock'>): string {
  return timestamp(clock.now());
}
