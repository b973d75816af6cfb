import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import { localDate } from '../base/time';
import { freePath } from '../catalog/knowledge';
import { PROCESSED, processedName, processedNames, processedPath } from '../documents/paths';
import { MAX_FILE_BYTES } from '../documents/ports';
import { readReference } from '../links/references';
import type { Brain } from '../operation/context';
import { sameStat } from '../ports/ports';
import { listOf } from '../sources/source-references';
import { fileName, type VaultPath, vaultPath } from '../vocabulary/paths';
import type { KnownSource } from './known';
import type { IngestRequest } from './request';

/** The original of a source and what is to be done with it. Each step may be done again. */
interface OriginalFile {
  /** Where it is, or is going to be, kept; null for nowhere. */
  readonly path: VaultPath | null;
  /**
   * Before the first page is made, and before the original is moved.
   * @throws BrainError `busy` when the original is another than the pages are of.
   */
  begin(): Promise<void>;
  /** When no page could be made after all. */
  takeBack(): Promise<void>;
  /** When the pages stand. A file stays where it was dropped until `noted` has resolved, and for good when that rejects. */
  finish(noted?: Promise<unknown>): Promise<void>;
}

type Ports = Pick<Brain, 'vault' | 'catalog' | 'clock'>;

const nothing = async (): Promise<void> => undefined;

/**
 * Says where the original of a source is kept. Call it in a turn of the writer, and do what it says in the same change: no other
 * one takes such a place, so that it stays free.
 * @param known what an earlier run has left, which may have been cut anywhere
 */
export async function originalFile(
  brain: Ports,
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
      // Whoever took a known file away wants it elsewhere.
      if (known !== null && before === null)
        return { path: null, begin: nothing, takeBack: nothing, finish: nothing };
      // Read while the pages are composed. Of a known source none are, and it is read when it is to be moved.
      const isSame = known === null ? hasBytesOf(brain, from, hash) : null;
      isSame?.catch(() => undefined); // Told to whoever begins.
      const to = (await promisedPath(brain, from, known)) ?? (await freeProcessed(brain, name));
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
    case 'keep': {
      const kept = await keptBefore(brain, name, hash);
      // One that was known and is gone has been taken away by a person.
      if (kept !== null || known !== null)
        return { path: kept, begin: nothing, takeBack: nothing, finish: nothing };
      const to = await freeProcessed(brain, name);
      const { bytes } = original;
      let folders: readonly string[] | null = null;
      return {
        path: to,
        async begin() {
          const missing = await brain.vault.missingFolders(to);
          if (!(await brain.vault.createBytes(to, bytes))) throw inTheWay(to);
          folders = missing;
          brain.catalog.known(to);
        },
        async takeBack() {
          if (folders === null) return;
          await brain.vault.remove(to);
          await brain.vault.removeEmptyFolders(folders);
          brain.catalog.drop(to);
        },
        finish: nothing,
      };
    }
  }
}

function freeProcessed(brain: Ports, name: string): Promise<VaultPath> {
  const date = localDate(brain.clock.now());
  return freePath(brain, (n) => processedPath(date, name, n));
}

/**
 * True when both paths are names of one file, as a move leaves it that was cut in the middle. Hard links have all times in
 * common, that of their last change with them, which nobody can set; a host that does not tell it moves in one step.
 */
export async function isOneFile(
  { vault }: Pick<Brain, 'vault'>,
  one: VaultPath,
  other: VaultPath,
): Promise<boolean> {
  const there = await vault.stat(other);
  return there?.ctime !== undefined && sameStat(there, await vault.stat(one));
}

/** The place at which these very bytes are kept already, under this name and any day. */
async function keptBefore(brain: Ports, name: string, hash: Sha): Promise<VaultPath | null> {
  const wanted = processedName(name, 1);
  for (const path of brain.catalog.pathsBelow(`${PROCESSED}/`)) {
    if (fileName(path) === wanted && (await hasBytesOf(brain, path, hash))) return path;
  }
  return null;
}

/** True when a file of the vault has this hash. */
export async function hasBytesOf(
  { vault }: Pick<Brain, 'vault'>,
  path: VaultPath,
  hash: Sha,
): Promise<boolean> {
  if (((await vault.stat(path))?.size ?? Infinity) > MAX_FILE_BYTES) return false;
  const bytes = await vault.readBytes(path, MAX_FILE_BYTES);
  return bytes !== null && sha256(bytes) === hash;
}

/** A file in the folder of one day: a target of any other form was not written for an original. */
const DAYS_FILE = new RegExp(`^${PROCESSED}/\\d{4}-\\d\\d-\\d\\d/[^/]+$`);

/** The place that pages of a cut run name as that of their original, when nothing else stands there yet. */
async function promisedPath(
  brain: Ports,
  from: VaultPath,
  known: KnownSource | null,
): Promise<VaultPath | null> {
  const names = processedNames(fileName(from));
  for (const { frontmatter } of known?.pages ?? []) {
    // What a document says of itself stands first, and what the service has added after it.
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
    // Whoever took it away meanwhile wants it elsewhere; what was made of it stands.
    if ((await vault.stat(from)) === null) return;
    throw inTheWay(to);
  }
  catalog.drop(from);
  catalog.known(to);
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
