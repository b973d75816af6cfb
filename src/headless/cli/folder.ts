import { constants } from 'node:fs';
import { open, opendir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileBody } from '../../adapters/host/http';
import { MIB } from '../../core/base/hash';
import { extensionOf, formatOf, isKeepable } from '../../core/documents/formats';
import { MAX_FILE_BYTES } from '../../core/documents/ports';
import { namedWarnings } from '../../core/operation/warnings';
import { isIgnoredName } from '../../core/vocabulary/paths';
import type { Client } from '../terminal/client';
import { CommandError, FailedAnswer, Interrupted, interruptible, type Io, unreadable } from '../terminal/io';
import { counted, type Line, oneLine, print, progressBar } from '../terminal/output';
import { isPicture, kindWords, type LocalFile, namedIn } from './attachments';
import { type JobOutcome, RESUME, waitForJob } from './jobs';

/** A file that failed, by its path below the folder. */
interface FailedFile {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** What came of the files of a folder. */
interface FolderSummary {
  /** The number of files that were read, now or before. */
  readonly read: number;
  readonly pages: number;
  readonly unchanged: number;
  readonly duplicates: number;
  readonly rejectedBefore: number;
  /** Files that are not read and were kept, because a note links them. */
  readonly kept: readonly string[];
  /** Files that are not read and that no note links. */
  readonly notLinked: readonly string[];
  readonly needConverter: readonly string[];
  readonly unknown: readonly string[];
  readonly empty: readonly string[];
  readonly failed: readonly FailedFile[];
  readonly warnings: readonly string[];
  readonly cancelled: boolean;
  /** Files that a cancelled job has not come to. */
  readonly untouched: number;
}

/** Returns what came of a folder; null for the outcome of a single source. */
export function summaryOf(outcome: JobOutcome): FolderSummary | null {
  if (!('errors' in outcome)) return null;
  const empty = outcome.errors.filter(({ code }) => code === 'no_text' || code === 'empty_content');
  const shared = {
    empty: empty.map(({ path: at }) => at),
    failed: outcome.errors.filter((error) => !empty.includes(error)),
    cancelled: outcome.cancelled === true,
  };
  if ('batch' in outcome) {
    const { counts, attachments, warnings } = outcome;
    const { files, ingested, unchanged, pages, duplicates, rejected_before } = counts;
    const done = ingested + unchanged + counts.empty + counts.failed + counts.attached + counts.not_linked;
    const of = (isKept: boolean) =>
      attachments.filter(({ original }) => (original !== undefined) === isKept).map(({ file }) => file);
    const others = { kept: of(true), notLinked: of(false), needConverter: [], unknown: [] };
    const rest = { ...others, warnings, untouched: files - done };
    const read = ingested + unchanged;
    return { ...shared, ...rest, read, pages, unchanged, duplicates, rejectedBefore: rejected_before };
  }
  const { files, ingested, unchanged, skipped, failed } = outcome.counts;
  const made = outcome.files.filter(({ extraction }) => extraction !== 'unchanged');
  const sum = (status: 'written' | 'duplicate' | 'rejected_before') =>
    made.reduce((total, { counts }) => total + counts[status], 0);
  return {
    ...shared,
    read: ingested + unchanged,
    pages: sum('written'),
    unchanged,
    duplicates: sum('duplicate'),
    rejectedBefore: sum('rejected_before'),
    kept: [],
    notLinked: [],
    needConverter: outcome.skipped.filter(isForConverter),
    unknown: outcome.skipped.filter((name) => !isForConverter(name)),
    warnings: [...outcome.warnings, ...namedWarnings(made)],
    untouched: files - ingested - unchanged - skipped - failed,
  };
}

function isForConverter(name: string): boolean {
  const format = formatOf(name);
  return format !== null && 'mediaType' in format;
}

/** The failures that are told with their reason. */
const MAX_TOLD = 20;
/** The names that the summary lists. */
const MAX_NAMES = 10;

/** Returns what came of a folder as lines: the failures with their reasons, then one line with a number for each kind. */
export function summaryLines(summary: FolderSummary, dryRun: boolean): Line[] {
  const { pages, unchanged, duplicates, rejectedBefore, empty, failed } = summary;
  const { kept, notLinked, needConverter, unknown } = summary;
  const told = failed.slice(0, MAX_TOLD).map(({ path: at, message, code }) => {
    return `${oneLine(at)}: ${oneLine(message)} (${code})`;
  });
  const names = failed.slice(0, MAX_NAMES).map(({ path: at }) => oneLine(at));
  const more = failed.length - names.length;
  const parts = [
    `${thousands(pages)} ${pages === 1 ? 'page' : 'pages'} ${dryRun ? 'would be made' : 'made'}`,
    unchanged > 0 && `${thousands(unchanged)} unchanged`,
    duplicates > 0 && `${thousands(duplicates)} that say what a note says already`,
    rejectedBefore > 0 && `${thousands(rejectedBefore)} rejected before`,
    kept.length > 0 && `${kindWords(kept)} ${dryRun ? 'would be kept' : 'kept'}`,
    notLinked.length > 0 && `${thousands(notLinked.length)} not linked (${byExtension(notLinked)})`,
    needConverter.length > 0 &&
      `${thousands(needConverter.length)} ${needConverter.length === 1 ? 'needs' : 'need'} a converter (${byExtension(needConverter)})`,
    unknown.length > 0 && `${thousands(unknown.length)} of kinds that are not read (${byExtension(unknown)})`,
    empty.length > 0 && `${thousands(empty.length)} empty`,
    failed.length > 0 &&
      `${thousands(failed.length)} failed: ${names.join(', ')}${more > 0 ? ` and ${thousands(more)} more` : ''}`,
  ].filter((part) => part !== false);
  const unread = unreadLines(summary);
  return [
    ...told,
    ...unread.slice(0, MAX_TOLD),
    ...(unread.length > MAX_TOLD
      ? [`and ${thousands(unread.length - MAX_TOLD)} more that were not read`]
      : []),
    ...summary.warnings.slice(0, MAX_TOLD).map((warning) => `warning: ${oneLine(warning)}`),
    parts.join(', '),
  ];
}

/** Returns a line for each document that was not read, with the reason. Pictures count as documents where nothing else came. */
function unreadLines({ read, needConverter, unknown, notLinked, empty }: FolderSummary): string[] {
  const others = notLinked.filter((place) => read === 0 || !isPicture(place));
  const line = (reason: string) => (place: string) => `${oneLine(place)}: not read: ${reason}`;
  return [
    ...needConverter.map(
      line(
        'only a converter reads this kind of file, and none that does is set (CONVERTER_URL; local: is the built-in one, for Office files)',
      ),
    ),
    ...[...unknown, ...others].map(line('this kind of file cannot be read; save it as text or PDF')),
    ...empty.map(line('it holds no text')),
  ];
}

function thousands(count: number): string {
  return count.toLocaleString('en');
}

/** Returns the number of files of each extension, the most frequent first: `.docx 8, .png 4`. */
function byExtension(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) {
    const extension = extensionOf(name);
    const kind = extension === '' ? 'no extension' : `.${oneLine(extension)}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const shown = sorted.slice(0, MAX_NAMES).map(([kind, count]) => `${kind} ${thousands(count)}`);
  return [...shown, ...(sorted.length > MAX_NAMES ? ['others'] : [])].join(', ');
}

/**
 * Checks a summary that was printed.
 * @throws FailedAnswer when the job was cancelled, a file failed, or no file could be read
 */
export function checkSummary({ cancelled, untouched, failed, read, ...left }: FolderSummary): void {
  if (cancelled) throw new FailedAnswer(`Cancelled: ${counted(untouched, 'file')} not touched. ${RESUME}`);
  if (failed.length > 0) throw new FailedAnswer(`${counted(failed.length, 'file')} failed.`);
  const { needConverter, unknown, notLinked, empty } = left;
  const unread = [needConverter, unknown, notLinked, empty].reduce((sum, { length }) => sum + length, 0);
  if (read === 0 && unread > 0) throw new FailedAnswer(`Nothing was read of ${counted(unread, 'file')}.`);
}

/** Lists the files of a folder, without hidden ones, temporary ones and links; sorted. */
export async function listFolder(top: string, recursive: boolean): Promise<LocalFile[]> {
  const files: LocalFile[] = [];
  const folders = [{ full: top, place: '' }];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    try {
      for await (const entry of await opendir(at.full)) {
        if (isIgnoredName(entry.name)) continue;
        const found = { full: path.join(at.full, entry.name), place: `${at.place}${entry.name}` };
        if (entry.isFile()) files.push(found);
        else if (recursive && entry.isDirectory()) folders.push({ ...found, place: `${found.place}/` });
      }
    } catch (error) {
      throw unreadable(at.full, error);
    }
  }
  return files.sort((a, b) => (a.place < b.place ? -1 : 1));
}

/**
 * Opens a regular file to be sent.
 * @throws CommandError when it cannot be read.
 */
export async function openFile(file: string): Promise<FileBody> {
  try {
    // Opening a pipe must not wait for its other end.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const info = await handle.stat();
    if (info.isFile() && info.size > 0) {
      return { size: info.size, stream: handle.createReadStream({ start: 0, end: info.size - 1 }) };
    }
    await handle.close();
    if (!info.isFile()) throw new Error('it is no regular file.');
    return { size: 0, stream: Readable.from([]) };
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** The files that are sent at the same time. */
const AT_ONCE = 4;

/** The options of a folder. */
export interface FolderOptions {
  readonly wing?: string;
  readonly hall?: string;
  readonly destination?: string;
  readonly recursive: boolean;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The files of a folder by what can be done with them. */
interface SortedFiles {
  readonly readable: readonly LocalFile[];
  /** Files that are not read and that documents name. */
  readonly attachments: readonly LocalFile[];
  readonly notLinked: readonly string[];
  readonly needConverter: readonly string[];
  readonly unknown: readonly string[];
}

/**
 * Sends the files of a folder as one batch, has them ingested as one job, and prints what came of them. Ctrl-C ends it in good
 * order; the same command again does the rest.
 * @throws CommandError when the folder cannot be read or sent, FailedAnswer when a file failed, Interrupted after Ctrl-C.
 */
export async function sendFolder(
  io: Io,
  client: Client,
  folder: string,
  options: FolderOptions,
): Promise<void> {
  const { wing, hall, destination, force, recursive, dryRun = false, json = false } = options;
  const files = await listFolder(folder, recursive);
  const label = path.basename(folder).normalize('NFC');
  const { value: batch } = await client.call('openBatch', { label, wing, hall, destination, force });
  const sorted = await sortFiles(files, batch);
  const sent = await sendAll(io, client, batch.batch, sorted).catch(async (error: unknown) => {
    // Nobody would run what was sent.
    await client.call('dropBatch', { batch: batch.batch }).catch(() => undefined);
    throw error;
  });
  const outcome = sent.count === 0 ? null : await runBatch(io, client, batch.batch, dryRun);
  if (outcome === null) await client.call('dropBatch', { batch: batch.batch });
  const summary = joined(outcome === null ? null : summaryOf(outcome.value), sorted, sent);
  if (json) io.stdout.write(`${JSON.stringify(asJson(outcome?.value ?? null, sorted, sent))}\n`);
  else print(io, summaryLines(summary, dryRun));
  if (outcome?.stopped === true) {
    throw new Interrupted(`Cancelled: ${counted(summary.untouched, 'file')} not touched. ${RESUME}`, true);
  }
  checkSummary(summary);
}

async function sortFiles(
  files: readonly LocalFile[],
  {
    reads,
    needs_converter,
  }: { readonly reads: readonly string[]; readonly needs_converter: readonly string[] },
): Promise<SortedFiles> {
  const readable = files.filter(({ place }) => reads.includes(extensionOf(place)));
  const others = files.filter(({ place }) => !reads.includes(extensionOf(place)));
  const named = await namedIn(
    readable,
    others.filter(({ place }) => isKeepable(place)),
  );
  // A picture is rarely meant to be read.
  const isForReading = (place: string) => needs_converter.includes(extensionOf(place)) && !isPicture(place);
  const places = others.map(({ place }) => place);
  const notNamed = others.filter((file) => !named.has(file)).map(({ place }) => place);
  return {
    readable,
    attachments: [...named],
    notLinked: notNamed.filter((place) => isKeepable(place) && !isForReading(place)),
    needConverter: places.filter(isForReading),
    unknown: notNamed.filter((place) => !isKeepable(place)),
  };
}

/** The files that were sent, and those that could not be. */
interface Sent {
  /** The number of files to be read. */
  count: number;
  readonly empty: string[];
  readonly failed: FailedFile[];
}

/** Sends files, several at a time. @throws Interrupted after Ctrl-C, CommandError when the server cannot be reached. */
async function sendAll(
  { stderr }: Pick<Io, 'stderr'>,
  client: Client,
  batch: string,
  { readable, attachments }: Pick<SortedFiles, 'readable' | 'attachments'>,
): Promise<Sent> {
  const files = [...readable, ...attachments];
  const isKept = new Set(attachments);
  const shows = stderr.isTTY === true;
  const sent: Sent = { count: 0, empty: [], failed: [] };
  let [next, done] = [0, 0];
  try {
    await interruptible(async (signal) => {
      const work = async (): Promise<void> => {
        for (let file = files[next++]; file !== undefined && !signal.aborted; file = files[next++]) {
          await sendOne(client, batch, file, isKept.has(file), sent).catch((error: unknown) => {
            next = files.length; // The others end with the file that they send.
            throw error;
          });
          done += 1;
          if (shows && (done % 20 === 0 || done === files.length)) {
            stderr.write(`\r${progressBar('sending', { done, total: files.length })}\u001b[K`);
          }
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      if (!signal.aborted) return;
      throw new Interrupted(`Cancelled before anything was written. ${RESUME}`);
    });
  } finally {
    if (shows) stderr.write('\r\u001b[K');
  }
  return sent;
}

async function sendOne(
  client: Client,
  batch: string,
  { full, place }: LocalFile,
  isAttachment: boolean,
  sent: Sent,
): Promise<void> {
  for (;;) {
    try {
      const body = await openFile(full);
      if (body.size === 0) {
        sent.empty.push(place);
        return;
      }
      if (isAttachment && body.size > MAX_FILE_BYTES) {
        body.stream.destroy();
        sent.failed.push({ path: place, code: 'too_large', message: TOO_LARGE });
        return;
      }
      await client.sendFile('sendBatchFile', { batch, name: place.normalize('NFC') }, body);
      if (!isAttachment) sent.count += 1;
      return;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const { code, message, retryAfter } = error;
      if (retryAfter !== undefined) {
        await sleep(retryAfter * 1000);
        continue;
      }
      // Without a code there is no server to send the others to, unless this machine refused the file.
      const isOwn = code !== undefined ? OF_ONE_FILE.has(code) : message.startsWith(full);
      if (!isOwn) throw error;
      sent.failed.push({ path: place, code: code ?? 'unreadable', message });
      return;
    }
  }
}

const TOO_LARGE = `It has more than ${MAX_FILE_BYTES / MIB} MiB, the most of a file that is kept with notes and not read. Keep it elsewhere, or make it smaller.`;

/** The refusals that are about one file. */
const OF_ONE_FILE: ReadonlySet<string> = new Set([
  'invalid_filename',
  'unsupported_type',
  'empty_content',
  'too_large',
]);

async function runBatch(
  io: Io,
  client: Client,
  batch: string,
  dryRun: boolean,
): Promise<{ value: JobOutcome; stopped: boolean }> {
  const { value } = await client.call('runBatch', { batch, dry_run: dryRun, background: true });
  if (!('job' in value)) return { value, stopped: false };
  const { reply, stopped } = await waitForJob(client, value, io);
  return { value: reply.value, stopped };
}

function joined(summary: FolderSummary | null, sorted: SortedFiles, sent: Sent): FolderSummary {
  const { needConverter, unknown } = sorted;
  const base: FolderSummary = summary ?? NOTHING;
  const forConverter = new Set(needConverter.map((place) => place.normalize('NFC')));
  const notLinked = base.notLinked.filter((place) => !forConverter.has(place));
  return {
    ...base,
    notLinked: [...sorted.notLinked, ...notLinked],
    needConverter,
    unknown,
    empty: [...sent.empty, ...base.empty],
    failed: [...sent.failed, ...base.failed],
  };
}

const NOTHING: FolderSummary = {
  read: 0,
  pages: 0,
  unchanged: 0,
  duplicates: 0,
  rejectedBefore: 0,
  kept: [],
  notLinked: [],
  needConverter: [],
  unknown: [],
  empty: [],
  failed: [],
  warnings: [],
  cancelled: false,
  untouched: 0,
};

/** Returns the answer of the service together with the files that were not sent. */
function asJson(
  outcome: JobOutcome | null,
  { notLinked, needConverter, unknown }: SortedFiles,
  { empty, failed }: Sent,
) {
  const not_sent = {
    needs_converter: needConverter,
    not_linked: notLinked,
    not_read: unknown,
    empty,
    failed,
  };
  return { ...outcome, not_sent };
}
