import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { localDate } from '../base/time';
import { PROCESSED, processedName, processedNames, processedPath } from '../documents/paths';
import { MAX_FILE_BYTES, type Upload } from '../documents/ports';
import { readReference } from '../links/references';
import type { Brain } from '../operation/context';
import { freePath } from '../operation/limits';
import type { KeptFile } from '../operation/memory';
import { sameStat } from '../ports/ports';
import { listOf } from '../sources/source-references';
import { fileName, type VaultPath, vaultPath } from '../vocabulary/paths';
import type { KnownSource } from './known';
import { standingName } from './standing-name';
import type { IngestRequest } from './request';

/** The original of a source, and the steps that keep it. Each step is idempotent. */
interface OriginalFile {
  /** The path where it is or will be kept; null when it is not kept. */
  readonly path: VaultPath | null;
  /**
   * Runs before the first page is created and before the original is moved.
   * @throws BrainError `busy` when the original has changed since its text was read.
   */
  begin(): Promise<void>;
  /** Runs when no page could be created. */
  takeBack(): Promise<void>;
  /** Runs when the pages exist. A file keeps its old path until `noted` has resolved, and for good when that rejects. */
  finish(noted?: Promise<unknown>): Promise<void>;
}

type Ports = Pick<Brain, 'vault' | 'catalog' | 'clock' | 'whole' | 'limits'>;

const nothing = async (): Promise<void> => undefined;

/**
 * Decides where the original of a source is kept. Call it with the writer lock and carry the decision out in the same change:
 * no other change takes the path meanwhile.
 * @param known the results of an earlier run, which may be incomplete after a crash
 */
export async function originalFile(
  brain: Ports & Pick<Brain, 'uploads' | 'config' | 'pace'>,
  { original, name, hash }: Pick<IngestRequest, 'original' | 'name' | 'hash'>,
  known: KnownSource | null,
): Promise<OriginalFile> {
  switch (original.kind) {
    case 'none':
      return { path: null, begin: nothing, takeBack: nothing, finish: nothing };
    case 'stands':
      return { path: original.path, begin: nothing, takeBack: nothing, finish: nothing };
    case 'move': {
      const { from } = original;
      const before = await brain.vault.stat(from);
      // A person moved the known file away on purpose.
      if (known !== null && before === null)
        return { path: null, begin: nothing, takeBack: nothing, finish: nothing };
      // The read runs while the pages are composed. A known source has no new pages, and its file is read before the move.
      const standing = await standingName(brain, name, (max) => brain.vault.readBytes(from, max));
      const isSame = known === null ? hasBytesOf(brain, from, hash) : null;
      isSame?.catch(() => undefined); // `begin` reports the error.
      const to =
        (await promisedPath(brain, from, known, standing)) ??
        (await freeProcessed(brain, standing, originalOwner({ name, hash })));
      return {
        path: to,
        async begin() {
          const isStill = await (isSame ?? hasBytesOf(brain, from, hash));
          if (!isStill || !sameStat(before, await brain.vault.stat(from))) throw changedMeanwhile(from);
        },
        takeBack: nothing,
        finish: (noted) => move(brain, { from, to, noted }),
      };
    }
    case 'keep':
    case 'upload': {
      const noted = known?.entry?.original ?? null;
      const standing = await standingName(brain, name, async (max) =>
        original.kind === 'keep' ? original.bytes : original.upload.read(max),
      );
      const size = original.kind === 'keep' ? original.bytes.length : original.upload.size;
      const kept =
        noted !== null && (await brain.vault.stat(noted)) !== null
          ? noted
          : await keptBefore(brain, standing, { hash, size });
      // A person removed the known original on purpose.
      if (kept !== null || known !== null)
        return { path: kept, begin: nothing, takeBack: nothing, finish: nothing };
      const to = await freeProcessed(brain, standing, originalOwner({ name, hash }));
      const { vault, catalog } = brain.whole;
      const keep = (): Promise<boolean> =>
        original.kind === 'keep' ? vault.createBytes(to, original.bytes) : original.upload.keepAt(to);
      let folders: readonly string[] | null = null;
      return {
        path: to,
        async begin() {
          const missing = await vault.missingFolders(to);
          if (!(await keepNamed(brain, { name: standing, hash, size, to }, keep))) throw inTheWay(to);
          folders = missing;
        },
        async takeBack() {
          if (folders === null) return;
          await vault.remove(to);
          await vault.removeEmptyFolders(folders);
          catalog.drop(to);
        },
        finish: nothing,
      };
    }
  }
}

/** Returns the name under which the path of an original is reserved while the source is ingested. */
function originalOwner({ hash, name }: Pick<IngestRequest, 'hash' | 'name'>): string {
  return `original:${hash}:${name}`;
}

/** Releases the path of an original, once its source is ingested or has failed. */
export function releaseOriginal(
  { whole }: Pick<Brain, 'whole'>,
  request: Pick<IngestRequest, 'hash' | 'name'>,
): void {
  whole.catalog.reserved.release(originalOwner(request));
}

/**
 * Returns a free path for an original, which stays reserved for its owner until it is released: files of one name that are ingested at once
 * do not take the paths of one another. A folder may have thousands of files with one name, so the search begins at the number
 * where the last one ended, unless the file before that is gone.
 */
export async function freeProcessed(brain: Ports, name: string, owner: string): Promise<VaultPath> {
  const date = localDate(brain.clock.now());
  const pathOf = (n: number): VaultPath => processedPath(date, name, n);
  const { reserved } = brain.whole.catalog;
  const own = reserved.of(owner);
  const isFree = own !== null && brain.whole.catalog.taken(own) === null;
  if (own !== null && isFree && (await brain.vault.stat(own)) === null) return own;
  const { originals } = brain.whole;
  if (originals.numbers.date !== date) originals.numbers = { date, byName: new Map() };
  const { byName } = originals.numbers;
  // A caller that does not see all originals gets numbers that follow from its own.
  const isShared = brain.limits?.hidesNotes !== true;
  const last = isShared ? (byName.get(name) ?? 1) : 1;
  const before = pathOf(Math.max(1, last - 1));
  const isFollowed = last > 1 && (reserved.isForOther(before) || (await brain.vault.stat(before)) !== null);
  const first = isFollowed ? last : 1;
  for (;;) {
    let number = first;
    const path = await freePath(brain, (n) => pathOf((number = first + n - 1)));
    if (!reserved.take(path, owner)) continue;
    if (isShared) byName.set(name, number);
    return path;
  }
}

/**
 * Returns true when both paths are names of one file, as after a crash during a move. Hard links share all times, including the
 * change time, which no program can set. A host without that time moves in one step.
 */
export async function isOneFile(
  { vault }: Pick<Brain, 'vault'>,
  one: VaultPath,
  other: VaultPath,
): Promise<boolean> {
  const there = await vault.stat(other);
  return there?.ctime !== undefined && sameStat(there, await vault.stat(one));
}

/** The names for which the kept originals are remembered. */
const MAX_NAMES = 50_000;

/** Puts a file among the originals and remembers it. Resolves false, changing nothing, when something is at the path. */
async function keepNamed(
  { whole: { catalog, originals } }: Pick<Brain, 'whole'>,
  { name, hash, size, to }: { name: string; hash: Sha; size: number; to: VaultPath },
  keep: () => Promise<boolean>,
): Promise<boolean> {
  const names = originals.byName;
  const files = names.get(name);
  // A call that fails may have kept the file all the same: the next one looks on the disk.
  names.delete(name);
  if (!(await keep())) return false;
  catalog.addPath(to);
  if (files !== undefined) names.set(name, [...files, { path: to, size, known: { hash } }]);
  return true;
}

/** A file that is not read and that came with notes: staged, or in the inbox. */
export interface Attachment {
  /** With its extension. */
  readonly name: string;
  readonly hash: Sha;
  /** In bytes. */
  readonly size: number;
  readonly from: Upload | VaultPath;
}

/**
 * Keeps an attachment at its planned path among the originals, durably: a staged one is linked there, one of the inbox moves.
 * Resolves false when another file is at the path, or when one of the inbox was kept there before.
 */
export function keepAttachment(
  brain: Ports & Pick<Brain, 'uploads' | 'writer'>,
  attachment: Attachment,
  to: VaultPath,
): Promise<boolean> {
  const { from, hash } = attachment;
  const { vault, catalog } = brain.whole;
  return brain.writer.run(async () => {
    const keep = () => (typeof from === 'string' ? vault.move(from, to) : from.keepAt(to));
    const isKept = await keepNamed(brain, { ...attachment, to }, keep);
    if (typeof from !== 'string') return isKept || (await hashAt(brain, to)) === hash;
    if (isKept) catalog.drop(from);
    return isKept;
  });
}

/**
 * Returns the path where the same bytes are kept already, under this name on any day. Only files of the same size are read, and
 * each once: a later call, such as one with the writer lock, goes by what was read before unless the file has changed.
 */
export async function keptBefore(
  brain: Pick<Brain, 'vault' | 'whole' | 'uploads'>,
  name: string,
  { hash, size }: { readonly hash: Sha; readonly size: number },
): Promise<VaultPath | null> {
  const names = brain.whole.originals.byName;
  const files = names.get(name) ?? (await findKept(brain.whole, name));
  if (!names.has(name) && names.size >= MAX_NAMES) names.clear();
  names.set(name, files);
  for (const file of files) {
    if (file.size !== size || (file.known !== null && file.known.hash !== hash)) continue;
    const stat = await brain.vault.stat(file.path);
    if (stat === null || stat.size !== size) continue;
    if (file.known?.mtime !== stat.mtime) {
      file.known = { hash: await hashAt(brain, file.path), mtime: stat.mtime };
    }
    if (file.known?.hash === hash) return file.path;
  }
  return null;
}

/** Finds the originals of a name on the disk: of each day those with consecutive numbers. */
async function findKept({ vault }: Pick<Brain, 'vault'>, name: string): Promise<KeptFile[]> {
  const files: KeptFile[] = [];
  for (const day of (await vault.subfolders(PROCESSED)).sort()) {
    for (let number = 1; ; number += 1) {
      const path = vaultPath(`${PROCESSED}/${day}/${processedName(name, number)}`);
      const stat = await vault.stat(path);
      if (stat === null) break;
      files.push({ path, size: stat.size, known: null });
    }
  }
  return files;
}

/** Returns the hash of a file of the vault; null when it is gone or too large. */
export async function hashAt(brain: Pick<Brain, 'vault' | 'uploads'>, path: VaultPath): Promise<Sha | null> {
  if (brain.uploads !== undefined) return brain.uploads.hashOf(path);
  const bytes = await brain.vault.readBytes(path, MAX_FILE_BYTES);
  return bytes === null ? null : sha256(bytes);
}

/** Returns true when a file of the vault has this hash. */
export async function hasBytesOf(
  { vault }: Pick<Brain, 'vault'>,
  path: VaultPath,
  hash: Sha,
): Promise<boolean> {
  if (((await vault.stat(path))?.size ?? Infinity) > MAX_FILE_BYTES) return false;
  const bytes = await vault.readBytes(path, MAX_FILE_BYTES);
  return bytes !== null && sha256(bytes) === hash;
}

/** Matches a file in the folder of one day. A link target of another form is not that of an original. */
const DAYS_FILE = new RegExp(`^${PROCESSED}/\\d{4}-\\d\\d-\\d\\d/[^/]+$`);

/** Returns the path that pages of an interrupted run give for their original, if it is free. */
async function promisedPath(
  brain: Ports,
  from: VaultPath,
  known: KnownSource | null,
  name: string,
): Promise<VaultPath | null> {
  const names = processedNames(name);
  for (const { frontmatter } of known?.pages ?? []) {
    // The reference that the service added comes after those of the document itself.
    for (const element of listOf(frontmatter.sources).reverse()) {
      const reference = readReference(element);
      if (reference.kind !== 'link' || !DAYS_FILE.test(reference.target)) continue;
      const path = vaultPath(reference.target);
      if (!names.includes(fileName(path))) continue;
      if ((await brain.vault.stat(path)) === null || (await isOneFile(brain, from, path))) return path;
    }
  }
  return null;
}

async function move(
  { vault, catalog }: Ports,
  { from, to, noted }: { from: VaultPath; to: VaultPath; noted: Promise<unknown> | undefined },
): Promise<void> {
  if (!(await vault.move(from, to, noted))) {
    // A person moved the file away on purpose. Its pages are kept.
    if ((await vault.stat(from)) === null) return;
    throw inTheWay(to);
  }
  catalog.drop(from);
  catalog.addPath(to);
}

function changedMeanwhile(path: VaultPath): BrainError {
  return new BrainError(
    'busy',
    `${path} was changed or taken away while it was being read, so no page was made of it. Try again.`,
    { path, retry_after: 2 },
  );
}

function inTheWay(path: VaultPath): BrainError {
  return new BrainError('busy', `Something else has just been put at ${path}. Try again.`, {
    path,
    retry_after: 2,
  });
}
