import * as z from 'zod';
import { inTurns } from '../base/concurrency';
import { isSha, MIB, type Sha, sha256, utf8Length } from '../base/hash';
import { parsedJson } from '../base/json';
import type { NoteRecord } from '../catalog/record';
import { ESCAPED } from '../frontmatter/compose';
import { parseNote } from '../frontmatter/parse';
import { REF_KINDS, REF_REASONS } from '../gate/finding';
import type { Gated } from '../gate/gate';
import type { Store } from '../ports/ports';
import { LINE_FEED } from '../storage/lines';
import { type VaultPath, vaultPath } from '../vocabulary/paths';

/** The longest text that is kept as it was sent (bytes, its fields included). */
const MAX_BYTES = MIB;
/** The places that a list of notes tells for each. */
const MAX_TOLD = 20;
/** The beginning of a file that holds its first line (bytes). */
const HEAD_BYTES = 1 << 14;
/** The files that are read at a time. */
const READS = 8;
/** A text is kept for this long after its note has left the queue (ms). */
const KEPT_MS = 30 * 86_400_000;

/** A place of a text that the gate made harmless. */
const placeShape = z.object({
  rule: z.enum([...REF_REASONS, 'invisible']).describe('Why the gate changed it'),
  kind: z.enum([...REF_KINDS, 'invisible']),
  line: z.number().int().min(1).optional().describe('In the text as sent; absent for a field of the call'),
  note_line: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('In the note; absent in a property, and where the gate or another hand changed the lines'),
});
/** A place with its words. */
export const findingShape = placeShape.extend({
  target: z.string().describe('The target, or what is active: its language, tag or property'),
  text: z.string().describe('The shown words, or the beginning of the source'),
});
type Finding = z.output<typeof findingShape>;

/** What the queue tells of a note that the gate changed when it came in. */
export const harmlessShape = z.object({
  count: z.number().int().describe('The places that were made harmless'),
  findings: z.array(placeShape).describe(`The first ${MAX_TOLD} of them`),
  changed: z.boolean().describe('True when the text of the note has changed since it came in'),
});

/** The first line of a file. */
const headShape = z.object({
  v: z.literal(1),
  at: z.string(),
  /** The number of the revision, of those that are kept of the note. */
  turn: z.number().int(),
  path: z.string(),
  /** The stamp of the note, by which it is told from others that had its path. */
  created_at: z.string().optional(),
  count: z.number().int(),
  findings: z.array(placeShape),
  bytes: z.number().int(),
});
type Head = z.output<typeof headShape>;

/** The second line of a file. */
const restShape = z.object({
  findings: z.array(findingShape),
  text: z.string().optional(),
  fields: z.record(z.string(), z.unknown()).optional(),
});

/** A text as it was sent: the content, and the fields of the call that become properties. */
export interface SentText {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A text that comes into the queue, and what the gate did to it. */
export interface Arrival {
  readonly path: VaultPath;
  /** The note. */
  readonly text: string;
  /** The text that it revises. */
  readonly before?: Sha | undefined;
  readonly sent: SentText;
  /** The body that the gate got: the end of the text as sent. */
  readonly body: string;
  readonly gated: Pick<Gated, 'body' | 'refs' | 'warnings' | 'invisible'>;
}

/** What is kept of a note. */
interface Kept extends z.output<typeof harmlessShape> {
  readonly hash: Sha;
  readonly at: string;
  readonly bytes: number;
}

type Note = Pick<NoteRecord, 'path' | 'content_hash' | 'frontmatter'>;
/** Returns what is kept of a note: by its text, else by its path; null when the gate changed nothing of it. */
export type KeptOf = (note: Note) => Kept | null;

/**
 * Texts of the queue as they were sent, of which the gate made something harmless, with what it found: a file for each, named by
 * the hash of the note. They are shown to who may review, and nothing else reads them.
 */
export class SentTexts {
  #known = new Known([]);

  /** @param folder the folder of the state that all servers of the vault find */
  constructor(
    private readonly ports: Pick<Store, 'state' | 'clock'>,
    private readonly folder: string,
  ) {}

  /**
   * Keeps a text before its note is written; durable when it resolves. A cut in between leaves a text without a note, which `tidy`
   * removes. A revision of which nothing was made harmless ends what is told of the text before it.
   */
  async keep(arrival: Arrival): Promise<void> {
    const { path, text, before, sent } = arrival;
    const findings = findingsOf(arrival);
    if (findings.length === 0 && before === undefined) return;
    const { frontmatter } = parseNote(text);
    const last = before && (await this.#read()).of({ path, content_hash: before, frontmatter });
    if (findings.length === 0 && !last) return;
    const hasFields = Object.values(sent.fields).some((value) => value !== undefined);
    const bytes = utf8Length(sent.text) + (hasFields ? utf8Length(JSON.stringify(sent.fields)) : 0);
    const { created_at: created } = frontmatter;
    const head: Head = {
      v: 1,
      at: this.ports.clock.now().toISOString(),
      turn: last ? last.head.turn + 1 : 1,
      path,
      ...(typeof created === 'string' && { created_at: created }),
      count: findings.length,
      findings: findings.slice(0, MAX_TOLD).map((finding) => placeShape.parse(finding)),
      bytes,
    };
    const rest = {
      findings,
      ...(bytes <= MAX_BYTES && { text: sent.text, ...(hasFields && { fields: sent.fields }) }),
    };
    const hash = sha256(text);
    await this.ports.state.write(this.#file(hash), `${JSON.stringify(head)}\n${JSON.stringify(rest)}\n`);
    this.#known.heads.delete(hash);
  }

  /** Resolves with a function that tells what is kept of a note. */
  async look(): Promise<KeptOf> {
    const known = await this.#read();
    return (note) => {
      const found = known.of(note);
      if (found === null || found.head.count === 0) return null;
      const { hash, head } = found;
      const { at, bytes, count } = head;
      const changed = hash !== note.content_hash;
      // The lines of another text say nothing of this one.
      const findings = head.findings.map(({ note_line: line, ...place }) =>
        changed || line === undefined ? place : { ...place, note_line: line },
      );
      return { hash, at, bytes, count, findings, changed };
    };
  }

  /** Reads all that is kept of the note that had this hash when it came in; null when nothing is. */
  async read(hash: Sha): Promise<z.output<typeof restShape> | null> {
    const text = await this.ports.state.read(this.#file(hash));
    return restShape.safeParse(parsedJson(text?.slice(text.indexOf('\n') + 1) ?? '')).data ?? null;
  }

  /** Removes what is kept of the note that had this hash when it came in. */
  async remove(hash: Sha): Promise<void> {
    await this.ports.state.remove(this.#file(hash));
  }

  /** Removes the texts whose notes left the queue a month ago. `waits` tells of a hash and a path whether such a note is queued. */
  async tidy(waits: (hash: Sha, path: VaultPath) => boolean): Promise<void> {
    const { state, clock } = this.ports;
    const { heads } = await this.#read();
    const known = z
      .record(z.string(), z.number())
      .safeParse(parsedJson((await state.read(this.#goneFile)) ?? ''));
    const now = clock.now().getTime();
    const gone: Record<string, number> = {};
    for (const [hash, { path }] of heads) {
      if (waits(hash, vaultPath(path))) continue;
      const since = known.data?.[hash] ?? now;
      if (now - since > KEPT_MS) await this.remove(hash);
      else gone[hash] = since;
    }
    const text = `${JSON.stringify(gone)}\n`;
    if (text !== `${JSON.stringify(known.data ?? {})}\n`) await state.write(this.#goneFile, text);
  }

  get #goneFile(): string {
    return `${this.folder}/gone.json`;
  }

  #file(hash: Sha): string {
    return `${this.folder}/${hash}.jsonl`;
  }

  /** Reads the first lines of the files that were not known. */
  async #read(): Promise<Known> {
    const hashes = (await this.ports.state.list(this.folder))
      .map((file) => file.slice(this.folder.length + 1, -'.jsonl'.length))
      .filter(isSha);
    const { heads } = this.#known;
    const found = await inTurns(hashes, READS, async (hash) => {
      const head = heads.get(hash) ?? (await this.#readHead(hash));
      return head === null ? [] : [{ hash, head }];
    });
    this.#known = new Known(found.flat());
    return this.#known;
  }

  async #readHead(hash: Sha): Promise<Head | null> {
    const bytes = await this.ports.state.readPart(this.#file(hash), 0, HEAD_BYTES);
    if (bytes === null) return null;
    const line = new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(LINE_FEED)));
    return headShape.safeParse(parsedJson(line)).data ?? null;
  }
}

/** The first line of a file, and the hash of the note that it is about. */
interface Found {
  readonly hash: Sha;
  readonly head: Head;
}

/** What is kept of all notes. */
class Known {
  readonly heads = new Map<Sha, Head>();
  readonly #byPath = new Map<string, Found[]>();

  constructor(all: readonly Found[]) {
    for (const found of all) {
      const { hash, head } = found;
      this.heads.set(hash, head);
      if (this.#byPath.get(head.path)?.push(found) === undefined) this.#byPath.set(head.path, [found]);
    }
  }

  /** Returns what is kept of the text of a note, else of the last text that came in for it. */
  of({ path, content_hash: hash, frontmatter: { created_at: created } }: Note): Found | null {
    const own = this.heads.get(hash);
    if (own !== undefined) return { hash, head: own };
    const isOfNote = ({ head }: Found): boolean => typeof created !== 'string' || created === head.created_at;
    const [first, ...others] = (this.#byPath.get(path) ?? []).filter(isOfNote);
    return others.reduce<Found | null>(
      (last, each) => (last !== null && comesAfter(last.head, each.head) ? last : each),
      first ?? null,
    );
  }
}

/** Returns true when a text came in after another one of the same note. */
function comesAfter(one: Head, other: Head): boolean {
  return one.at === other.at ? one.turn > other.turn : one.at > other.at;
}

/** Returns what the gate made harmless, in the order of the lines. */
function findingsOf({ text: note, sent: { text }, body, gated }: Arrival): Finding[] {
  const { refs, warnings, invisible = [] } = gated;
  const harmless = refs.filter(({ unlinked }) => unlinked);
  if (harmless.length + invisible.length === 0 && !warnings.includes(ESCAPED)) return [];
  // The body is the end of the text that was sent, and the gated body that of the note.
  const [ofBody, ofGated] = [linesOf(body), linesOf(gated.body)];
  const before = linesOf(text) - ofBody;
  const beforeInNote = ofBody === ofGated ? linesOf(note) - ofGated : null;
  const at = (line: number) => ({
    ...(before + line >= 1 && { line: before + line }),
    ...(beforeInNote !== null && { note_line: beforeInNote + line }),
  });
  const found = harmless.map(({ kind, reason = 'active_content', target, text: words, line }): Finding => {
    const place = kind === 'property' ? propertyLine(text, target) : at(line);
    return { rule: reason, kind, ...place, target, text: words };
  });
  for (const line of invisible)
    found.push({ rule: 'invisible', kind: 'invisible', ...at(line), target: '', text: '' });
  if (warnings.includes(ESCAPED))
    found.push({ rule: 'active_content', kind: 'property', ...at(1), target: '---', text: '---' });
  return found.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function linesOf(text: string): number {
  let lines = 1;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lines += 1;
  return lines;
}

/** Returns the line of a property in the front matter of a text; none for a field of the call. */
function propertyLine(text: string, key: string): { line?: number } {
  const lines = text.split('\n', MAX_PROPERTY_LINES);
  if (!/^\uFEFF?---\s*$/.test(lines[0] ?? '')) return {};
  for (const [at, line] of lines.entries()) {
    if (at > 0 && /^---\s*$/.test(line)) return {};
    // No expression: a long run of spaces without a colon would be searched once for each of its places.
    const name = line.slice(0, Math.max(0, line.indexOf(':'))).trim();
    if (name === key || name === `"${key}"` || name === `'${key}'`) return { line: at + 1 };
  }
  return {};
}

/** The lines in which a property is looked for. */
const MAX_PROPERTY_LINES = 1000;
