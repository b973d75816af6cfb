import { BrainError } from '../../core/base/errors';
import { MIB } from '../../core/base/hash';
import type { Expanded, ExpandedFile, ExportFile, LeftOut } from '../../core/documents/ports';
import type { Host } from './channel';
import { DIALECTS } from './dialects';
import { unenex } from './enex';
import { unmbox } from './mbox';
import { Notes } from './notes';
import { Places, safePlace } from './places';
import { isTar, untar } from './tar';
import type { Tree, TreeFile } from './tree';
import { bytesOf, Damaged, listZip, MAX_ENTRIES, unpacked } from './zip';

/** Archives in archives are unpacked so deep. */
const MAX_DEPTH = 4;
/** The bytes that an export unpacks to at most. */
const MAX_UNPACKED = 16 * 1024 * MIB;
/** An archive that unpacks to more than this may not unpack to more than so many times its size. */
const FREE_BYTES = 64 * MIB;
const MAX_RATIO = 200;
/** The largest file that a dialect reads as a whole (bytes). */
const MAX_WHOLE = 200 * MIB;

/** A file of the export, on the disk of the host. */
interface Piece extends TreeFile {
  readonly id: number;
  /** Where it stands in what came. */
  readonly from: string;
  /** The archives around it. */
  readonly depth: number;
  /** What of it was left out when it was unpacked. */
  readonly warnings?: readonly string[];
}

/** A file that was taken out of one that holds many notes or mails. */
interface Apart {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly warnings?: readonly string[];
}

/** Names of files that systems leave in archives. */
const JUNK = /(?:^|\/)(?:__MACOSX\/|\.DS_Store$|\._[^/]*$|Thumbs\.db$|desktop\.ini$)/i;
const ARCHIVE = /\.(?:zip|textpack|bear2bk|jex|tar|tgz|gz|enex|mbox|epub)$/i;

/** Unpacks the archives of an export, and writes what other programs say as notes. */
export class Expander {
  readonly #left: LeftOut[] = [];
  readonly #pieces: Piece[] = [];
  #entries = 0;
  #unpacked = 0;
  #done = 0;
  #total = 0;

  constructor(private readonly host: Host) {}

  /** @throws BrainError `too_large` beyond the limits of an export */
  async expand(came: readonly ExportFile[]): Promise<Expanded> {
    this.#total = came.reduce((sum, { size }) => sum + size, 0);
    const isAlone = came.length === 1;
    for (const file of came) await this.#take({ ...file, from: file.place, depth: 0 }, isAlone);
    return this.#tell();
  }

  /** Takes a file as it is, or what it unpacks to. */
  async #take(piece: Piece, isAlone: boolean): Promise<void> {
    if (this.#isJunk(piece.place, piece.from)) return;
    if (!ARCHIVE.test(piece.place) || piece.size === 0) this.#pieces.push(piece);
    else if (piece.depth >= MAX_DEPTH) {
      this.#left.push({
        from: piece.from,
        why: `It lies in more than ${MAX_DEPTH} archives. Unpack it yourself.`,
      });
    } else {
      // The folder of an archive is called like it; one that comes alone has no folder of its own.
      const folder = isAlone ? '' : `${piece.place.replace(/(?:\.tar)?\.[^.]+$/, '')}/`;
      try {
        await this.#unpack(piece, folder);
      } catch (error) {
        if (!(error instanceof Damaged)) throw error;
        this.#left.push({ from: piece.from, why: error.message });
      }
    }
    if (piece.depth === 0) await this.#tellProgress(piece.size);
  }

  async #unpack(piece: Piece, folder: string): Promise<void> {
    const head = await this.host.read(piece.id, 0, 512);
    const budget = new Budget(piece.size, (bytes) => this.#count(bytes));
    if (head[0] === 0x1f && head[1] === 0x8b) {
      const place = piece.place.replace(/\.tgz$/i, '.tar').replace(/\.gz$/i, '');
      const packed = this.#stream(piece);
      const made = await this.#write({ place, modified: piece.modified }, unpackedOrDamaged(packed), budget);
      await this.#take({ ...made, from: `${piece.from}/${place}`, depth: piece.depth + 1 }, folder === '');
      return;
    }
    const apart = /\.enex$/i.test(piece.place) ? unenex : /\.mbox$/i.test(piece.place) ? unmbox : null;
    if (apart !== null) {
      const files: AsyncIterable<Apart> = apart(this.#stream(piece), folder);
      for await (const { name, bytes, warnings } of files) {
        this.#countEntry();
        const made = await this.#write({ place: name, modified: undefined }, only(bytes), budget);
        const from = `${piece.from}/${safePlace(name)}`;
        this.#pieces.push({ ...made, from, depth: piece.depth + 1, ...(warnings && { warnings }) });
      }
      return;
    }
    if (isTar(head)) {
      for await (const entry of untar(this.#stream(piece))) {
        this.#countEntry();
        const from = `${piece.from}/${safePlace(entry.name)}`;
        if (this.#isJunk(entry.name, from)) continue;
        if (entry.why !== undefined) {
          this.#left.push({ from, why: entry.why });
          continue;
        }
        const made = await this.#write(
          { place: folder + entry.name, modified: entry.modified },
          entry.bytes,
          budget,
        );
        await this.#take({ ...made, from, depth: piece.depth + 1 }, false);
      }
      return;
    }
    for (const entry of await listZip(this.host, piece.id, piece.size)) {
      this.#countEntry();
      if (/[/\\]$/.test(entry.name)) continue;
      const from = `${piece.from}/${safePlace(entry.name)}`;
      if (this.#isJunk(entry.name, from)) continue;
      try {
        const bytes = bytesOf(this.host, piece.id, entry);
        const made = await this.#write(
          { place: folder + entry.name, modified: entry.modified },
          bytes,
          budget,
        );
        await this.#take({ ...made, from, depth: piece.depth + 1 }, false);
      } catch (error) {
        if (!(error instanceof Damaged)) throw error;
        this.#left.push({ from, why: error.message });
      }
    }
  }

  /** Returns true for a file that a system has left, and tells of it. */
  #isJunk(name: string, from: string): boolean {
    const isJunk = JUNK.test(name);
    if (isJunk) this.#left.push({ from, why: 'A system has left it there, and it is no note.' });
    return isJunk;
  }

  async *#stream({ id, size }: Piece): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    for (let at = 0; at < size; at += MIB) yield await this.host.read(id, at, Math.min(size, at + MIB));
  }

  async #write(
    { place, modified }: { readonly place: string; readonly modified?: number | undefined },
    bytes: AsyncIterable<Uint8Array>,
    budget: Budget,
  ): Promise<Omit<Piece, 'from' | 'depth'>> {
    const at = safePlace(place);
    const id = await this.host.create(at, modified);
    let size = 0;
    for await (const piece of bytes) {
      budget.take(piece.length);
      size += piece.length;
      await this.host.append(id, piece);
    }
    return { id, place: at, size, ...(modified !== undefined && { modified }) };
  }

  #count(bytes: number): void {
    this.#unpacked += bytes;
    if (this.#unpacked <= MAX_UNPACKED) return;
    throw new BrainError(
      'too_large',
      `The archives unpack to more than ${MAX_UNPACKED / MIB / 1024} GiB, the most of one import. Import them one by one.`,
    );
  }

  #countEntry(): void {
    this.#entries += 1;
    if (this.#entries <= MAX_ENTRIES) return;
    throw new BrainError(
      'too_large',
      `The archives hold more than ${MAX_ENTRIES} files, the most of one import. Import them one by one.`,
    );
  }

  async #tellProgress(bytes: number): Promise<void> {
    this.#done += bytes;
    await this.host.progress(this.#done, this.#total);
  }

  /** Has the dialects make notes of what is theirs; every other file stays as it is. */
  async #tell(): Promise<Expanded> {
    this.#pieces.sort((a, b) => (a.place < b.place ? -1 : 1));
    const byPlace = new Map<string, Piece>();
    const places = new Places();
    const pieces = this.#pieces.map((piece) => {
      const place = places.of(piece.place);
      const placed = { ...piece, place };
      byPlace.set(place, placed);
      return placed;
    });
    const tree: Tree = {
      files: pieces,
      bytes: async ({ place, size }, most) => {
        const piece = byPlace.get(place);
        const to = Math.min(size, most ?? size);
        if (to > MAX_WHOLE)
          throw new BrainError('too_large', `It is larger than ${MAX_WHOLE / MIB} MiB, and kept as it is.`);
        return piece === undefined ? new Uint8Array() : this.host.read(piece.id, 0, to);
      },
    };
    const told: string[] = [];
    const notes = new Notes(new Places());
    for (const dialect of DIALECTS) {
      const folders = await dialect.recognise(tree);
      if (folders.length > 0) told.push(`Recognised: ${dialect.program}.`);
      for (const folder of folders) {
        const fault = await notes.take(dialect.program, dialect.convert(tree, folder));
        if (fault !== null)
          told.push(
            `The export of ${dialect.program} could not be read to its end; the rest is kept as it is. ${fault}`,
          );
      }
    }
    const files: ExpandedFile[] = [];
    for (const piece of pieces) {
      if (notes.consumes(piece.place)) continue;
      const place = notes.placeOf(piece.place);
      files.push({
        id: piece.id,
        place,
        from: piece.from,
        made: false,
        warnings: [...(piece.warnings ?? []), ...notes.warningsOf(piece.place)],
      });
    }
    for (const made of notes.written()) {
      const id = await this.host.create(made.place, made.modified);
      await this.host.append(id, new TextEncoder().encode(made.text));
      const from = byPlace.get(made.from)?.from ?? made.from;
      files.push({ id, place: made.place, from, program: made.program, made: true, warnings: made.warnings });
    }
    for (const { from, why } of notes.left) this.#left.push({ from: byPlace.get(from)?.from ?? from, why });
    return { files: files.sort((a, b) => (a.place < b.place ? -1 : 1)), left: this.#left, told };
  }
}

/** Counts what one archive unpacks to. */
class Budget {
  #bytes = 0;

  constructor(
    private readonly packed: number,
    private readonly count: (bytes: number) => void,
  ) {}

  /** @throws Damaged for an archive that unpacks to far more than its size */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > FREE_BYTES && this.#bytes > MAX_RATIO * this.packed)
      throw new Damaged(
        `It unpacks to more than ${MAX_RATIO} times its size, as an archive that is made to fill a disk.`,
      );
    this.count(bytes);
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* unpackedOrDamaged(
  packed: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked(packed, 'gzip');
  } catch {
    throw new Damaged('It is damaged, and cannot be unpacked.');
  }
}
