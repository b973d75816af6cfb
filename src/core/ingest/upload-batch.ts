import * as z from 'zod';
import { allows, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import { MIB } from '../base/hash';
import { inSlices, sortSteps, type Watch } from '../base/steps';
import { EXTENSIONS, isKeepable } from '../documents/formats';
import { MAX_FILE_BYTES, type Upload, uploadTooLarge } from '../documents/ports';
import { wingFolder } from '../notes/targets';
import type { Brain } from '../operation/context';
import { dryRunField } from '../operation/fields';
import { refuseNamedWings } from '../operation/limits';
import { batchOptions, counted, type OpenBatch } from '../operation/open-batches';
import { operation } from '../operation/operation';
import {
  type BatchAnswer,
  batchAnswerShape,
  countShape,
  type FileAnswer,
  importAnswerShape,
  jobShape,
} from '../operation/shapes';
import { namedWarnings } from '../operation/warnings';
import { fileName, type VaultPath } from '../vocabulary/paths';
import { FolderPlan } from './folder-plan';
import { backgroundField, checkKind, failureOf, inBackgroundOrNow, isStopped } from './operations';
import { keepAttachment, keptBefore } from './original';
import {
  ingestReceived,
  placeField,
  type ReceivedFile,
  readUpload,
  receive,
  type UploadOptions,
  uploadsOf,
} from './upload';

/** The files of one batch. */
const MAX_FILES = 100_000;
/** The files of a batch that are written at the same time. */
const AT_ONCE = 8;
/** The files that an answer lists. */
const MAX_LISTED = 20_000;

const batchField = z.string().max(100).describe('From the answer that opened the batch');

/**
 * Opens a batch: a folder whose files are sent one by one and then ingested as one job. Nothing changes in the vault. Fails with
 * `busy` when the caller has four open batches, with `invalid_wing`, `forbidden_scope` and `rate_limited`.
 */
export const openBatch = operation({
  name: 'open_batch',
  scope: 'propose',
  mutates: false,
  keyed: 'answer',
  input: batchOptions,
  output: z.object({
    batch: z.string().describe('Name it with each file, and to run the batch'),
    reads: z.array(z.string()).describe('Extensions of the files that can be read now'),
    needs_converter: z.array(z.string()).describe('Extensions that only a converter reads, and none is set'),
  }),
  async run(brain, options, caller) {
    // Nothing changes yet, but the files that follow take room on the disk.
    refuseNamedWings(brain, options);
    brain.rate.take(caller.name);
    uploadsOf(brain);
    if (options.wing !== undefined) wingFolder(brain, options.wing);
    const { id } = brain.whole.batches.open(caller, options);
    const of = (...kinds: string[]) =>
      EXTENSIONS.filter((extension) => kinds.includes(brain.documents.readability(`x.${extension}`)));
    return { batch: id, reads: of('native', 'converter'), needs_converter: of('no_converter') };
  },
});

/** Passes bytes on, at most so many. @throws BrainError `too_large` */
async function* limited(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > most) throw uploadTooLarge(most);
    yield piece;
  }
}

/** Returns true when a file of this name is read. Any other one is kept as it is when a note of the batch links it. */
function isRead({ documents }: Pick<Brain, 'documents'>, place: string): boolean {
  return ['native', 'converter'].includes(documents.readability(fileName(place)));
}

/** Receives a file that is not read. @throws BrainError `too_large` beyond the size of a file that is kept with notes */
async function receiveAttachment(brain: Brain, place: string, watch: Watch): Promise<Upload> {
  try {
    return await receive(brain, watch, Math.min(MAX_FILE_BYTES, brain.config.maxUpload));
  } catch (error) {
    if (!(error instanceof BrainError) || error.details?.limit_bytes !== MAX_FILE_BYTES) throw error;
    throw new BrainError(
      'too_large',
      `"${fileName(place)}" has more than ${MAX_FILE_BYTES / MIB} MiB, the most of a file that is kept with notes and not read. Keep it elsewhere, or make it smaller.`,
      { limit_bytes: MAX_FILE_BYTES },
    );
  }
}

/**
 * Receives a file of a batch; one that was sent with this name before is replaced. A file that is not read, such as an image, is
 * kept when the batch is run and one of its notes embeds or links it. Nothing changes in the vault. Fails with
 * `not_found`, `invalid_filename`, `unsupported_type`, `empty_content` and `too_large`; the batch stays as it was.
 */
export const sendBatchFile = operation({
  name: 'send_batch_file',
  scope: 'propose',
  mutates: false,
  keyed: 'none',
  input: z.strictObject({
    batch: batchField,
    name: placeField,
    offset: z
      .int()
      .min(0)
      .optional()
      .describe('Of an import: bytes of this file that were sent before; a file of any size comes in parts'),
  }),
  output: z.object({
    batch: z.string(),
    name: z.string(),
    source_hash: z
      .string()
      .optional()
      .describe('SHA-256 of the bytes that were received, 64 hex digits; absent for a file of an import'),
    size: countShape.optional().describe('Bytes of a file of an import so far'),
    files: countShape.describe('Files of the batch so far'),
  }),
  codes: { name: 'invalid_filename' },
  async run(brain, { batch: id, name, offset }, caller, watch) {
    const open = brain.whole.batches;
    const place = name.normalize('NFC');
    const batch = open.find(id, caller);
    const { files, taker } = batch;
    if (taker !== undefined) {
      const body = watch?.body;
      if (body === undefined)
        throw new BrainError('missing_field', 'The call has no file. Send its bytes as the body.');
      const part = { place, offset: offset ?? 0, body: limited(body, brain.config.maxUpload) };
      return { batch: id, name: place, ...(await open.receivePart(batch, taker, part)) };
    }
    if (offset !== undefined)
      throw new BrainError('invalid_field', 'Only a file of an import comes in parts. Leave "offset" out.', {
        field: 'offset',
      });
    const isDocument = isRead(brain, place) || !isKeepable(fileName(place));
    if (isDocument) checkKind(brain, { name: fileName(place) });
    if (files.size >= MAX_FILES && !files.has(place)) {
      throw new BrainError(
        'too_large',
        `A batch has at most ${MAX_FILES} files. Run this one, and open another.`,
      );
    }
    const body = watch?.body;
    const upload = await open.receive(batch, place, (count) => {
      const each = { ...watch, body: body && counted(body, count) };
      return isDocument ? receive(brain, each) : receiveAttachment(brain, place, each);
    });
    return { batch: id, name: place, source_hash: upload.hash, files: files.size };
  },
});

/**
 * Ingests the files of a batch. Links between them lead to the pages made of them, and those to files that are not read to where
 * these are kept. A failed file is reported and does not stop the others; when one that is not read cannot be kept, the batch
 * fails before the first page. After a cut the folder is sent again: what is known already is not taken twice. Fails with
 * `not_found`, `empty_content` for a batch without a file that is read, and `busy`.
 */
export const runBatch = operation({
  name: 'run_batch',
  scope: 'propose',
  mutates: true,
  keyed: 'answer',
  input: z.strictObject({ batch: batchField, dry_run: dryRunField, background: backgroundField }),
  output: z.union([jobShape, batchAnswerShape, importAnswerShape]),
  async run(brain, { batch: id, dry_run: dryRun = false, background }, caller, watch) {
    const open = brain.whole.batches;
    const { files, taker } = open.find(id, caller);
    if (taker !== undefined) {
      return inBackgroundOrNow(brain, { caller, background, watch }, async (each) => {
        if (dryRun) return taker.run(true, caller, each);
        const batch = open.take(id, caller);
        try {
          return await taker.run(false, caller, each);
        } finally {
          await open.discard(batch);
        }
      });
    }
    if (![...files.keys()].some((place) => isRead(brain, place))) {
      throw new BrainError(
        'empty_content',
        `The batch has no files${files.size === 0 ? '' : ' that are read'}. Send them with ${called('sendBatchFile', 'an upload')} first.`,
      );
    }
    return inBackgroundOrNow(brain, { caller, background, watch }, async (each) => {
      const batch = open.take(id, caller);
      try {
        return await ingestBatch(brain, batch, dryRun, caller, each);
      } finally {
        await open.discard(batch);
      }
    });
  },
});

/** Drops a batch with the files that were sent to it. Fails with `not_found`. */
export const dropBatch = operation({
  name: 'drop_batch',
  scope: 'propose',
  mutates: false,
  keyed: 'answer',
  input: z.strictObject({ batch: batchField }),
  output: z.object({ batch: z.string(), files: countShape.describe('Files that were dropped') }),
  async run(brain, { batch: id }, caller) {
    const open = brain.whole.batches;
    const batch = open.take(id, caller);
    const { size } = batch.files;
    await open.discard(batch);
    return { batch: id, files: size };
  },
});

async function ingestBatch(
  brain: Brain,
  { options, files }: OpenBatch,
  dryRun: boolean,
  caller: Caller,
  { signal, progress }: Watch,
): Promise<BatchAnswer> {
  const { label = '', wing, hall, force = false } = options;
  const destination = options.destination ?? brain.config.ingestDestination;
  const terms = { label, wing, hall, destination, force, dryRun };
  const sorted = await inSlices(
    sortSteps([...files], ([a], [b]) => (a < b ? -1 : 1)),
    brain.pace,
  );
  const places = sorted.filter(([place]) => isRead(brain, place));
  const others = sorted.filter(([place]) => !isRead(brain, place));
  const attachments = others.map(([place, upload]) => ({ place, load: async () => upload }));
  const together = places.map(([place, upload]) => ({
    place,
    load: async () => {
      const name = fileName(place);
      return { hash: upload.hash, name, read: () => readUpload(brain, name, upload, { signal }) };
    },
  }));
  const report = new BatchReport(label, files.size, allows(caller, 'read'));
  const shared = { ...terms, folder: label, attachments, readsAtOnce: 2 };
  const plan = await FolderPlan.make(brain, together, shared, caller, { signal, progress });
  for (const sentence of plan.told) report.tell(sentence);
  const takeOne = async ([place, upload]: (typeof places)[number]): Promise<void> => {
    if (plan.isLeftOut(place)) {
      report.attach(place, null);
      return;
    }
    const each: UploadOptions = { ...terms, label: null, unread: true, signal, ...plan.of(place) };
    try {
      // Before the vault is changed: other files are made durable meanwhile.
      if (!dryRun && plan.isNew(place)) await upload.settle();
      report.add(await ingestReceived(brain, { place, upload }, each, caller));
    } catch (error) {
      // The error of a cancelled file is no failure of the file, and a closing vault takes no further one.
      const isEnd = isStopped({ signal }) || (error instanceof BrainError && error.code === 'starting');
      if (isEnd) report.cancelled = true;
      else report.fail(failureOf(brain, place, error));
    }
    await plan.done(place);
  };
  const inTurns = async (
    items: typeof places,
    take: (item: (typeof places)[number]) => Promise<void>,
  ): Promise<void> => {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) {
        if (isStopped({ signal })) report.cancelled = true;
        if (report.cancelled) return;
        try {
          await take(item);
        } catch (error) {
          next = items.length; // The other turns end with their item.
          throw error;
        }
        progress?.({ done: report.done, total: files.size, phase: 'writing' });
      }
    };
    // Most of the time of a file is spent waiting for the disk.
    for (const turn of await Promise.allSettled(Array.from({ length: AT_ONCE }, work))) {
      if (turn.status === 'rejected') throw turn.reason;
    }
  };
  // Before the first page that links one: after a cut no page leads to a file that is missing.
  try {
    await inTurns(others, async ([place, upload]) => {
      report.attach(place, await keepLinked(brain, { place, upload }, plan.attachedAt(place), dryRun));
    });
  } catch (error) {
    await plan.abandon();
    throw error;
  }
  await inTurns(places, takeOne);
  await plan.close(!report.cancelled);
  return report.answer();
}

/**
 * Keeps a file that is not read at the path to which new pages link. Returns the path where it is kept, by an earlier run too;
 * null when nothing links it.
 */
async function keepLinked(
  brain: Brain,
  { place, upload }: ReceivedFile,
  to: VaultPath | undefined,
  dryRun: boolean,
): Promise<VaultPath | null> {
  const name = fileName(place);
  if (to === undefined) return keptBefore(brain, name, upload);
  if (dryRun) return to;
  await upload.settle();
  const { hash, size } = upload;
  if (await keepAttachment(brain, { name, hash, size, from: upload }, to)) return to;
  throw new BrainError('busy', `Another file has just been put at ${to}. Send the folder again.`, {
    path: to,
    retry_after: 2,
  });
}

function lostEmbed(file: string, target: string): string {
  return `${file} embeds "${target}", which is not in the folder: the name stands in the text instead.`;
}

/** Collects the outcome of a batch; of each file only what its sender needs, because there may be thousands. */
class BatchReport {
  cancelled = false;
  readonly #files: BatchAnswer['files'] = [];
  readonly #attachments: BatchAnswer['attachments'] = [];
  readonly #errors: BatchAnswer['errors'] = [];
  readonly #counts = {
    ingested: 0,
    unchanged: 0,
    empty: 0,
    failed: 0,
    pages: 0,
    duplicates: 0,
    rejected_before: 0,
    attached: 0,
    not_linked: 0,
  };
  readonly #links = { kept: 0, removed: 0 };
  /** About the folder as a whole, or naming their file. */
  readonly #told = new Set<string>();
  /** The files of each other warning. */
  readonly #warned: { readonly file: string; readonly warnings: readonly string[] }[] = [];

  constructor(
    private readonly label: string,
    private readonly total: number,
    /** False for a caller that may not read notes: whether a link leads somewhere would tell which there are. */
    private readonly countsLinks: boolean,
  ) {}

  get done(): number {
    const { ingested, unchanged, empty, failed, attached, not_linked } = this.#counts;
    return ingested + unchanged + empty + failed + attached + not_linked;
  }

  add({ file, extraction, counts, original, pages, warnings }: FileAnswer): void {
    const isKnown = extraction === 'unchanged';
    this.#counts[isKnown ? 'unchanged' : 'ingested'] += 1;
    if (!isKnown) {
      this.#counts.pages += counts.written;
      this.#counts.duplicates += counts.duplicate;
      this.#counts.rejected_before += counts.rejected_before;
    }
    for (const { refs } of this.countsLinks ? pages : []) {
      for (const ref of refs) {
        this.#links[ref.unlinked ? 'removed' : 'kept'] += 1;
        const isLost = ref.reason === 'missing' && (ref.kind === 'embed' || ref.kind === 'image');
        if (isLost && this.#told.size < MAX_WARNINGS) this.tell(lostEmbed(file, ref.target));
      }
    }
    if (warnings.length > 0) this.#warned.push({ file, warnings });
    if (this.#files.length >= MAX_LISTED) return;
    this.#files.push({
      file,
      extraction,
      ...(original !== undefined && { original }),
      pages: pages.map((page) => ({
        title: page.title,
        status: page.status,
        ...(page.path !== undefined && { path: page.path }),
      })),
    });
  }

  /** Adds a sentence for the sender. */
  tell(sentence: string): void {
    this.#told.add(sentence);
  }

  /** @param original where a file that is not read is kept; null when no note links it */
  attach(file: string, original: VaultPath | null): void {
    this.#counts[original === null ? 'not_linked' : 'attached'] += 1;
    if (this.#attachments.length < MAX_LISTED)
      this.#attachments.push({ file, ...(original !== null && { original }) });
  }

  fail(error: BatchAnswer['errors'][number]): void {
    const isEmpty = error.code === 'no_text' || error.code === 'empty_content';
    this.#counts[isEmpty ? 'empty' : 'failed'] += 1;
    if (this.#errors.length < MAX_LISTED) this.#errors.push(error);
  }

  answer(): BatchAnswer {
    const more = this.done - this.#files.length - this.#attachments.length - this.#errors.length;
    return {
      batch: this.label,
      counts: { files: this.total, ...this.#counts },
      links: this.#links,
      files: this.#files.sort((a, b) => (a.file < b.file ? -1 : 1)),
      attachments: this.#attachments.sort((a, b) => (a.file < b.file ? -1 : 1)),
      errors: this.#errors.sort((a, b) => (a.path < b.path ? -1 : 1)),
      warnings: [...this.#told, ...namedWarnings(this.#warned)].slice(0, MAX_WARNINGS),
      ...(more > 0 && { more }),
      ...(this.cancelled && { cancelled: true }),
    };
  }
}

/** The distinct warnings that an answer lists. */
const MAX_WARNINGS = 100;
