import { bytesToHex, randomBytes } from '@noble/hashes/utils.js';
import * as z from 'zod';
import type { Caller } from '../access/tokens';
import { BrainError } from '../base/errors';
import { MIB } from '../base/hash';
import type { Clock } from '../base/host';
import type { Pacing, Watch } from '../base/steps';
import type { Config } from '../config/config';
import type { Upload } from '../documents/ports';
import { hallField, wingField } from './fields';
import type { importAnswerShape } from './shapes';

/** The batches of one caller that are open at the same time. */
const MAX_OPEN = 4;
/** A caller with too many batches loses one to which nothing was sent for this long (ms): its sender was cut off. */
const IDLE_MS = 60_000;
/** A batch to which nothing was sent for this long (ms) is dropped. */
const KEPT_MS = 24 * 60 * 60 * 1000;
/** The staged bytes of one caller, in files of the largest size: a ceiling for the disk, which no folder of documents reaches. */
const MAX_STAGED_FILES = 64;

/** What the caller says of a folder. */
export const batchOptions = z.strictObject({
  label: z.string().max(500).optional().describe('Name of the folder that the files come from'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  destination: z.enum(['raw', 'wiki']).optional(),
  force: z.boolean().optional().describe('Make the pages again of files that are known already'),
});

/** What takes the files of a batch in place of an ingest: an import. */
export interface BatchTaker {
  /** Receives the bytes of a file from `offset` on, counted by `count`. */
  receive(
    place: string,
    offset: number,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly size: number; readonly files: number }>;
  /** Runs the batch; a dry run leaves it open. */
  run(dryRun: boolean, caller: Caller, watch: Watch): Promise<z.input<typeof importAnswerShape>>;
  /** Removes what was received and did not enter the vault. */
  discard(): Promise<void>;
}

/** A folder whose files are being sent. */
export interface OpenBatch {
  readonly id: string;
  readonly owner: string;
  readonly options: z.output<typeof batchOptions>;
  /** By the path below the folder. */
  readonly files: Map<string, Upload>;
  /** The bytes that are staged, those of files under way included. */
  bytes: number;
  /** Absent for a folder that is ingested. */
  readonly taker?: BatchTaker | undefined;
  /** The files that are being received. */
  receiving: number;
  /** The time of the last file, in milliseconds since the epoch. */
  usedAt: number;
}

/** The open batches of a vault. They live in memory: after a restart the folder is sent again. */
export class OpenBatches {
  readonly #open = new Map<string, OpenBatch>();
  /** The batches whose files are on the disk: open ones, and those that are being run. */
  readonly #staged = new Set<OpenBatch>();
  #isWatched = false;

  constructor(
    private readonly brain: Pick<Pacing, 'sleep'> & { readonly clock: Clock; readonly config: Config },
  ) {}

  /** @throws BrainError `busy` when the caller has too many */
  open(caller: Caller, options: OpenBatch['options'], taker?: BatchTaker): OpenBatch {
    const owner = ownerOf(caller);
    const own = [...this.#open.values()].filter((batch) => batch.owner === owner);
    const [idle] = own.filter((batch) => this.#isUnused(batch, IDLE_MS));
    if (own.length >= MAX_OPEN && idle !== undefined) this.#drop(idle);
    else if (own.length >= MAX_OPEN) {
      throw new BrainError(
        'busy',
        `Files are being sent to ${MAX_OPEN} of your batches. Run one of them, or drop it, then open another.`,
        { retry_after: 60, batches: own.map(({ id }) => id) },
      );
    }
    const id = bytesToHex(randomBytes(12));
    const batch = {
      id,
      owner,
      options,
      taker,
      files: new Map(),
      bytes: 0,
      receiving: 0,
      usedAt: this.#now(),
    };
    this.#open.set(id, batch);
    this.#staged.add(batch);
    void this.#dropUnused();
    return batch;
  }

  /** @throws BrainError `not_found` when the caller has no such batch */
  find(id: string, caller: Caller): OpenBatch {
    const batch = this.#open.get(id);
    if (batch !== undefined && batch.owner === ownerOf(caller)) {
      batch.usedAt = this.#now();
      return batch;
    }
    throw noSuchBatch();
  }

  /** Takes a batch out, so that nothing more is sent to it. */
  take(id: string, caller: Caller): OpenBatch {
    const batch = this.find(id, caller);
    this.#open.delete(id);
    return batch;
  }

  /**
   * Receives a file of a batch. A file that was sent with this name before is replaced.
   * @throws BrainError `not_found` when the batch was run or dropped meanwhile, `too_large` beyond the staged bytes of a caller,
   * and as `receive` does
   */
  async receive(batch: OpenBatch, place: string, receiveFile: ReceiveFile): Promise<Upload> {
    let counted = 0;
    const count = (bytes: number): void => {
      counted += bytes;
      this.#count(batch, bytes);
    };
    batch.receiving += 1;
    try {
      const upload = await receiveFile(count);
      if (this.#open.get(batch.id) !== batch) {
        await upload.discard();
        throw noSuchBatch();
      }
      const before = batch.files.get(place);
      batch.files.set(place, upload);
      counted = before?.size ?? 0;
      await before?.discard();
      return upload;
    } finally {
      batch.bytes -= counted;
      batch.receiving -= 1;
      batch.usedAt = this.#now();
    }
  }

  /**
   * Receives bytes of a file for whatever takes the files of the batch.
   * @throws BrainError as `receive`
   */
  async receivePart(
    batch: OpenBatch,
    taker: BatchTaker,
    {
      place,
      offset,
      body,
    }: { readonly place: string; readonly offset: number; readonly body: AsyncIterable<Uint8Array> },
  ): Promise<{ readonly size: number; readonly files: number }> {
    const count = (bytes: number): void => this.#count(batch, bytes);
    batch.receiving += 1;
    try {
      return await taker.receive(place, offset, counted(body, count));
    } finally {
      batch.receiving -= 1;
      batch.usedAt = this.#now();
    }
  }

  /** @throws BrainError `too_large` beyond the staged bytes of a caller */
  #count(batch: OpenBatch, bytes: number): void {
    batch.bytes += bytes;
    const most = MAX_STAGED_FILES * this.brain.config.maxUpload;
    let staged = 0;
    for (const each of this.#staged) if (each.owner === batch.owner) staged += each.bytes;
    if (staged > most) throw tooMuchStaged(most);
  }

  /** Removes the files of a batch that was taken out. */
  async discard(batch: OpenBatch): Promise<void> {
    for (const upload of batch.files.values()) await upload.discard();
    await batch.taker?.discard();
    this.#staged.delete(batch);
  }

  /** Drops batches that nobody uses, as long as there are any. */
  async #dropUnused(): Promise<void> {
    if (this.#isWatched) return;
    this.#isWatched = true;
    while (this.#open.size > 0) {
      await this.brain.sleep(KEPT_MS);
      for (const batch of this.#open.values()) if (this.#isUnused(batch, KEPT_MS)) this.#drop(batch);
    }
    this.#isWatched = false;
  }

  #isUnused({ receiving, usedAt }: OpenBatch, forMs: number): boolean {
    return receiving === 0 && this.#now() - usedAt >= forMs;
  }

  #drop(batch: OpenBatch): void {
    this.#open.delete(batch.id);
    void this.discard(batch);
  }

  #now(): number {
    return this.brain.clock.now().getTime();
  }
}

/** Tells the bytes of each piece as it passes. */
export async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    count(piece.length);
    yield piece;
  }
}

/** A person and a token of the same name are two callers. */
function ownerOf({ human, name }: Caller): string {
  return `${human ? 'human' : 'token'}:${name}`;
}

/** Receives the file of a call; `count` gets the bytes of each piece. */
type ReceiveFile = (count: (bytes: number) => void) => Promise<Upload>;

function noSuchBatch(): BrainError {
  return new BrainError(
    'not_found',
    'There is no such batch of yours: it was run, dropped after a day, or lost in a restart. Open another one and send the files again; nothing is made twice.',
  );
}

function tooMuchStaged(most: number): BrainError {
  const amount = most >= MIB ? `${Math.floor(most / MIB)} MiB` : `${most} bytes`;
  return new BrainError(
    'too_large',
    `The files that wait in your batches have more than ${amount}, the most that is kept for one caller. Run the batch, then send the others in another one.`,
    { limit_bytes: most },
  );
}
