import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import type { Watch } from '../base/steps';
import { timestamp } from '../base/time';
import type { ExportFile, ImportFolder } from '../documents/ports';
import { EXTENSIONS } from '../documents/formats';
import { UNUSABLE } from '../documents/paths';
import { backgroundField, inBackgroundOrNow } from '../ingest/operations';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, limitField, wingField } from '../operation/fields';
import type { BatchTaker } from '../operation/open-batches';
import { operation } from '../operation/operation';
import {
  adoptionShape,
  type ImportAnswer,
  importAnswerShape,
  importShape,
  jobShape,
} from '../operation/shapes';
import { refuseAgents } from '../review/confirm';
import { adoptNote } from '../review/promote';
import { prefixWithin, slugify } from '../vocabulary/address';
import { stampOf } from '../vocabulary/envelope';
import { fold, IMPORTS, type VaultPath, vaultPath } from '../vocabulary/paths';
import { Maker, type Planned } from './make';
import {
  allReports,
  importNamed,
  type MadeFile,
  type Report,
  type ReportHead,
  readReport,
  stateOf,
  writeReport,
} from './report';
import { aloneOn, hashAt, putBack, takeOut, writeImport } from './write';

/** The entries of each list of an answer. */
const MAX_LISTED = 200;
/** The longest name of an import (bytes): it is the name of a folder. */
const MAX_NAME = 100;

const nameField = z.string().trim().min(1).max(200).describe('The name of the import');

/** @throws BrainError `path_not_allowed` when the vault is not in a folder of this machine */
function foldersOf({ whole }: Brain): NonNullable<Brain['imports']> {
  if (whole.imports !== undefined) return whole.imports;
  throw new BrainError(
    'path_not_allowed',
    'This vault is not in a folder of this machine, so nothing can be imported. Send the files to the review queue instead, or import into a vault in a folder.',
  );
}

/**
 * Opens an import: what a person brings from elsewhere, as one act. Its files follow as those of a batch (`POST /ingest-batch/file`,
 * each in one or several parts), and `POST /ingest-batch/done` shows what it will make (`dry_run`) and makes it. Its pages stand under
 * `imports/<name>/` as notes of the owner. Nothing changes in the vault before. Fails with `forbidden_scope` for a caller that does
 * not act for the owner, with `path_not_allowed`, with `not_found` for `again` without such an import, with `busy`.
 */
export const openImport = operation({
  name: 'import',
  scope: 'write',
  mutates: false,
  keyed: 'answer',
  input: z.strictObject({
    name: nameField.optional(),
    source: z.string().max(500).optional().describe('Name of the archive or folder that comes'),
    again: z
      .boolean()
      .optional()
      .describe('Add to the import of this name what is new; what it has already stays'),
    only_me: z.boolean().optional().describe("No token but the owner's will read it"),
    keep: z.boolean().optional().describe('These are mine: keep what would act in the pages as it is'),
  }),
  output: z.object({
    batch: z.string().describe('Name it with each file, and to preview or make the import'),
    name: z.string(),
    folder: z.string().describe('Where its pages will stand'),
    reads: z.array(z.string()).describe('Extensions of the files that become notes; archives are unpacked'),
  }),
  async run(brain, input, caller) {
    refuseAgents(caller, 'imports notes');
    const folders = foldersOf(brain);
    brain.rate.take(caller.name);
    const id = bytesToHex(randomBytes(12));
    const given = input.name ?? 'import';
    if (input.again === true) {
      const before = await importNamed(brain.whole, given);
      if (stateOf(before) !== 'imported') throw notStanding(before);
      const taker = new Incoming(brain, await folders.open(before.id), input, before, before);
      return opened(brain, caller, taker);
    }
    const { name, folder } = await freeName(brain, given);
    const head: ReportHead = {
      v: 1,
      id,
      name,
      folder,
      at: timestamp(brain.clock.now()),
      by: stampOf(caller).written_by,
      only_me: input.only_me === true,
      sources: input.source === undefined ? [] : [input.source],
      told: [],
    };
    return opened(brain, caller, new Incoming(brain, await folders.open(id), input, head, null));
  },
});

function opened(brain: Brain, caller: Caller, taker: Incoming) {
  const { id } = brain.whole.batches.open(caller, {}, taker);
  const reads = EXTENSIONS.filter((extension) =>
    ['native', 'converter'].includes(brain.documents.readability(`x.${extension}`)),
  );
  return { batch: id, name: taker.head.name, folder: taker.head.folder, reads };
}

function notStanding({ name }: Report): BrainError {
  return new BrainError(
    'source_missing',
    `The import "${name}" does not stand: it is being written, or was taken back. Put it back first, or import under another name.`,
  );
}

/** Returns the first of the numbered names that no import and no folder has. */
async function freeName(brain: Brain, given: string): Promise<{ name: string; folder: VaultPath }> {
  const plain = given
    .normalize('NFC')
    .replace(UNUSABLE, '-')
    .replace(/^[.\s~]+|[.\s]+$/gu, '');
  const stem = prefixWithin(plain, Infinity, MAX_NAME).trim() || 'import';
  const there = await brain.whole.vault.subfolders(IMPORTS);
  const taken = new Set([...there, ...(await allReports(brain.whole)).map(({ name }) => name)].map(fold));
  for (let n = 1; ; n += 1) {
    const name = n === 1 ? stem : `${stem}-${n}`;
    if (!taken.has(fold(name))) return { name, folder: vaultPath(`${IMPORTS}/${name}`) };
  }
}

/** An import whose files are being sent. */
class Incoming implements BatchTaker {
  /** The staged files by their places. */
  readonly #came = new Map<string, { readonly id: number; size: number }>();
  #next: number;
  #planned: Planned | null = null;
  #isWritten = false;

  constructor(
    private readonly brain: Brain,
    private readonly folder: ImportFolder,
    private readonly said: { readonly keep?: boolean | undefined },
    readonly head: ReportHead,
    /** The import that is repeated. */
    private readonly before: Report | null,
  ) {
    // The folder has files of the former runs under their numbers, once it was taken back.
    this.#next = 1 + Math.max(-1, ...(before?.files.map(({ file }) => file) ?? []));
  }

  async receive(place: string, offset: number, body: AsyncIterable<Uint8Array>) {
    this.#planned = null;
    let file = this.#came.get(place);
    if (file === undefined || offset === 0) {
      if (file !== undefined) await this.folder.remove(file.id);
      this.#came.set(place, (file = { id: this.#next++, size: 0 }));
    }
    file.size = await this.folder.receive(file.id, body, offset);
    return { size: file.size, files: this.#came.size };
  }

  async run(dryRun: boolean, caller: Caller, watch: Watch): Promise<{ import: ImportAnswer }> {
    if (this.#came.size === 0)
      throw new BrainError('empty_content', 'The import has no files. Send them first.');
    const planned = (this.#planned ??= await this.#plan(watch));
    const fresh = this.#fresh(planned.files);
    const tops = [...new Set([...this.#came.keys()].map((place) => place.split('/')[0] ?? place))];
    const sources = this.head.sources.length > 0 ? this.head.sources : tops.slice(0, 100);
    const head = { ...this.head, sources, told: [...planned.told] };
    const preview = previewOf(this.brain, head, { ...planned, files: fresh.files });
    const answer: ImportAnswer = {
      ...preview,
      ...(this.before !== null && {
        unchanged: fresh.unchanged,
        different: fresh.different.slice(0, MAX_LISTED),
      }),
    };
    if (dryRun) return { import: answer };
    this.#isWritten = true;
    await writeReport(this.brain.whole, head, fresh.files, planned.left, this.before !== null);
    const report = await readReport(this.brain.whole, head.id);
    if (report === null) throw new Error('the report of an import was not written');
    if (head.only_me) this.brain.whole.privateFolders.add(head.folder);
    const undone = await aloneOn(this.brain, report, () =>
      writeImport(this.brain.whole.viewFor(caller), report, this.folder, watch),
    );
    return {
      import: {
        ...answer,
        state: 'imported',
        ...(undone.length > 0 && { undone: undone.slice(0, MAX_LISTED) }),
      },
    };
  }

  async discard(): Promise<void> {
    // What is written goes on from the folder after a cut.
    if (!this.#isWritten) await this.folder.discard();
  }

  async #plan(watch: Watch): Promise<Planned> {
    const came: ExportFile[] = [...this.#came].map(([place, { id, size }]) => ({ id, place, size }));
    const terms = { folder: this.head.folder, keep: this.said.keep === true };
    // Files of an earlier preview stay behind until the import is made or dropped.
    const maker = new Maker(this.brain, this.folder, terms, this.#next);
    const planned = await maker.make(came, watch);
    this.#next = maker.next;
    return planned;
  }

  /** Returns the files that are new to the import. */
  #fresh(files: readonly MadeFile[]) {
    const before = new Map(this.before?.files.map((file) => [fold(file.path), file]));
    const different: { from: string; path: VaultPath }[] = [];
    let unchanged = 0;
    const fresh = files.filter((file) => {
      const known = before.get(fold(file.path));
      if (known === undefined) return true;
      if (known.source === file.source) unchanged += 1;
      else different.push({ from: file.from, path: file.path });
      return false;
    });
    return { files: fresh, unchanged, different };
  }
}

/** Returns what an import will make. */
function previewOf(brain: Brain, head: ReportHead, planned: Planned): ImportAnswer {
  const { files, left, findings } = planned;
  const notes = files.filter(({ kind }) => kind === 'note');
  const ofSource = new Set(notes.map(({ from }) => from));
  const unread = [
    ...files.flatMap(({ kind, from, warnings = [] }) =>
      kind === 'file' && warnings.length > 0 && !ofSource.has(from)
        ? [{ from, why: warnings.join(' '), kept: true }]
        : [],
    ),
    ...left.map((each) => ({ ...each, kept: false })),
  ];
  const warned = notes.flatMap(({ from, warnings = [] }) =>
    warnings.length > 0 ? [{ from, warnings: [...warnings] }] : [],
  );
  const duplicates = notes.flatMap(({ from, hash }) => {
    const of = brain.catalog.withHash(hash);
    return of === null ? [] : [{ from, of }];
  });
  return {
    ...shown(head, files, 'preview'),
    folders: foldersIn(head, notes).slice(0, MAX_LISTED),
    unread: unread.slice(0, MAX_LISTED),
    warnings: warned.slice(0, MAX_LISTED),
    duplicates: duplicates.slice(0, MAX_LISTED),
    findings: findings.slice(0, MAX_LISTED).map(({ from, found }) => ({ from, found: [...found] })),
  };
}

function shown(head: ReportHead, files: readonly MadeFile[], state: ImportAnswer['state']): ImportAnswer {
  const pages = files.filter(({ kind }) => kind === 'note').length;
  return {
    name: head.name,
    folder: head.folder,
    state,
    at: head.at,
    by: head.by,
    only_me: head.only_me,
    sources: [...head.sources],
    pages,
    files: files.length - pages,
    bytes: files.reduce((sum, { size }) => sum + size, 0),
    told: [...head.told],
  };
}

/** Returns the folders at the top of an import with the wing that each suggests. */
function foldersIn(head: Pick<ReportHead, 'folder' | 'name'>, notes: readonly MadeFile[]) {
  const counts = new Map<string, number>();
  for (const { path } of notes) {
    const rest = path.slice(head.folder.length + 1);
    const folder = rest.includes('/') ? (rest.split('/')[0] ?? '') : '';
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .map(([folder, pages]) => ({ folder, pages, wing: wingOf(head, folder) }))
    .sort((a, b) => b.pages - a.pages);
}

/** Returns the wing that a folder of an import suggests. */
function wingOf({ name }: Pick<ReportHead, 'name'>, folder: string): string {
  return slugify(folder === '' ? name : folder, '0'.repeat(64) as MadeFile['hash']);
}

/** Lists the imports, the newest first; with `name` one of them with its files. Fails with `not_found` for an unknown name. */
export const listImports = operation({
  name: 'imports',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ name: nameField.optional(), limit: limitField(MAX_LISTED * 10, MAX_LISTED) }),
  output: z.object({ count: z.int(), imports: z.array(importShape) }),
  async run(brain, { name, limit }, caller) {
    refuseAgents(caller, 'lists imports');
    if (name !== undefined) {
      const report = await importNamed(brain.whole, name);
      const entries: NonNullable<ImportAnswer['entries']> = [];
      for (const { path, from, kind, hash, program, warnings } of report.files.slice(0, limit)) {
        const standing = await hashAt(brain, { path, kind });
        const state = standing === null ? 'gone' : standing === hash ? 'there' : 'changed';
        entries.push({
          ...{ path, from, kind, state },
          ...(program !== undefined && { program }),
          ...(warnings !== undefined && { warnings: [...warnings] }),
        });
      }
      const more = report.files.length - entries.length;
      const one = {
        ...shown(report, report.files, stateOf(report)),
        folders: foldersIn(
          report,
          report.files.filter(({ kind }) => kind === 'note'),
        ).slice(0, MAX_LISTED),
        unread: report.left.slice(0, MAX_LISTED).map((each) => ({ ...each, kept: false })),
        entries,
        ...(more > 0 && { more }),
      };
      return { count: 1, imports: [one] };
    }
    const reports = await allReports(brain.whole);
    const imports = reports.slice(0, limit).map((report) => shown(report, report.files, stateOf(report)));
    return { count: reports.length, imports };
  },
});

/**
 * Takes an import back as one act: every file of it that still has the bytes with which it came leaves the vault, and what was changed
 * since or adopted stays and is listed. With `undo` it is put back, within 30 days, and one that was called off while it was written
 * goes on. Fails with `forbidden_scope`, with `not_found` for
 * an unknown name, with `source_missing` when it cannot be put back, with `busy`: a later call goes on.
 */
export const takeImportBack = operation({
  name: 'take_import_back',
  scope: 'write',
  mutates: true,
  keyed: 'answer',
  input: z.strictObject({
    name: nameField,
    undo: z.boolean().optional().describe('Put an import back that was taken back'),
    dry_run: dryRunField,
    background: backgroundField,
  }),
  output: z.union([jobShape, importAnswerShape]),
  async run(brain, { name, undo = false, dry_run: dryRun = false, background }, caller, watch) {
    refuseAgents(caller, 'takes an import back');
    const folders = foldersOf(brain);
    const report = await importNamed(brain.whole, name);
    const state = stateOf(report);
    const isDone = state === (undo ? 'imported' : 'taken_back');
    const answer = shown(report, report.files, state);
    if (dryRun || isDone) return { import: answer };
    return inBackgroundOrNow(brain, { caller, background, watch }, async (each) => {
      // One that was cut while it was written goes on.
      const work = !undo ? takeOut : state === 'writing' ? writeImport : putBack;
      const folder = await folders.open(report.id);
      const undone = await aloneOn(brain, report, () =>
        work(brain.whole.viewFor(caller), report, folder, each),
      );
      return {
        import: {
          ...answer,
          state: undo ? ('imported' as const) : ('taken_back' as const),
          ...(undone.length > 0 && { undone: undone.slice(0, MAX_LISTED) }),
        },
      };
    });
  },
});

/**
 * Adopts an import into the wiki: all of it, one of its folders, or some of its notes. The folders at its top are the wings, unless
 * `wing` names one; the hall is `sources` unless `hall` names another. What cannot be adopted is listed and stays where it is. Fails
 * with `forbidden_scope`, `not_found`, `invalid_wing`, `busy`.
 */
export const adoptImport = operation({
  name: 'adopt_import',
  scope: 'review',
  mutates: true,
  keyed: 'answer',
  input: z.strictObject({
    name: nameField,
    folder: z
      .string()
      .max(1000)
      .optional()
      .describe('A folder of the import, without the folder of the import itself'),
    paths: z.array(z.string().max(1000)).max(10_000).optional().describe('Notes of the import'),
    wing: wingField.optional(),
    hall: hallField.optional(),
    dry_run: dryRunField,
    background: backgroundField,
  }),
  output: z.union([jobShape, adoptionShape]),
  async run(brain, input, caller, watch) {
    refuseAgents(caller, 'adopts an import');
    const report = await importNamed(brain.whole, input.name);
    const wanted = chosen(report, input);
    return inBackgroundOrNow(
      brain,
      { caller, background: input.background, watch },
      async ({ signal, progress }) => {
        const adopted: { from: string; path: string }[] = [];
        const failed: { path: string; code: string; message: string }[] = [];
        for (const [index, { path }] of wanted.entries()) {
          if (signal?.stopped === true) break;
          // It was adopted or deleted before.
          if ((await hashAt(brain, { path, kind: 'note' })) === null) continue;
          const [folder = ''] = path.slice(report.folder.length + 1).includes('/')
            ? path.slice(report.folder.length + 1).split('/')
            : [];
          const place = {
            wing: input.wing ?? wingOf(report, folder),
            hall: input.hall ?? ('sources' as const),
          };
          try {
            const moved = await adoptNote.run(
              brain,
              { path, ...place, ...(input.dry_run !== undefined && { dry_run: input.dry_run }) },
              caller,
              { signal },
            );
            adopted.push({ from: path, path: moved.path });
          } catch (error) {
            if (!(error instanceof BrainError) || error.code === 'busy' || error.code === 'starting')
              throw error;
            failed.push({ path, code: error.code, message: error.message });
          }
          progress?.({ done: index + 1, total: wanted.length, phase: 'writing' });
        }
        const listed = [adopted.slice(0, 10 * MAX_LISTED), failed.slice(0, MAX_LISTED)] as const;
        const more = adopted.length + failed.length - listed[0].length - listed[1].length;
        return {
          name: report.name,
          adopted: listed[0],
          failed: listed[1],
          counts: { adopted: adopted.length, failed: failed.length },
          ...(more > 0 && { more }),
        };
      },
    );
  },
});

/** Returns the notes of an import that stand in it and are meant. */
function chosen(
  report: Report,
  { folder, paths }: { readonly folder?: string | undefined; readonly paths?: readonly string[] | undefined },
): readonly MadeFile[] {
  const inside = folder === undefined ? null : fold(`${report.folder}/${folder.replace(/^\/+|\/+$/g, '')}/`);
  const named = paths === undefined ? null : new Set(paths.map((path) => fold(path)));
  const notes = report.files.filter(
    ({ kind, path }) =>
      kind === 'note' &&
      (inside === null || fold(path).startsWith(inside)) &&
      (named === null || named.has(fold(path))),
  );
  if (notes.length > 0) return notes;
  throw new BrainError(
    'not_found',
    `The import "${report.name}" has no such notes. Ask for its files, and name a folder or notes of it.`,
    { field: folder === undefined ? 'paths' : 'folder' },
  );
}
