import { DIALECTS } from '../../../../src/adapters/exports/dialects';
import type { Dialect, Made, MadeNote, Tree } from '../../../../src/adapters/exports/tree';

/** Files by their places: text, bytes, or what is written as JSON. */
export type Files = Readonly<Record<string, unknown>>;

/** Returns the tree of an export in memory. */
export function treeOf(files: Files): Tree {
  const bytes = new Map(
    Object.entries(files).map(([place, content]) => [
      place,
      content instanceof Uint8Array
        ? new Uint8Array(content)
        : new TextEncoder().encode(typeof content === 'string' ? content : JSON.stringify(content)),
    ]),
  );
  return {
    files: [...bytes]
      .map(([place, { length: size }]) => ({ place, size }))
      .sort((a, b) => (a.place < b.place ? -1 : 1)),
    bytes: ({ place }, most) => Promise.resolve((bytes.get(place) ?? new Uint8Array()).slice(0, most)),
  };
}

export function dialectOf(program: string): Dialect {
  const dialect = DIALECTS.find((one) => one.program === program);
  if (dialect === undefined) throw new Error(`No dialect of ${program}.`);
  return dialect;
}

/** Returns the programs that recognise an export, each with its folders. */
export async function recognised(files: Files): Promise<Record<string, readonly string[]>> {
  const found: [string, readonly string[]][] = [];
  for (const { program, recognise } of DIALECTS) {
    const folders = await recognise(treeOf(files));
    if (folders.length > 0) found.push([program, folders]);
  }
  return Object.fromEntries(found);
}

/** What a dialect makes of an export. */
export interface Converted {
  readonly notes: readonly MadeNote[];
  /** The notes by their places. */
  readonly at: Readonly<Record<string, MadeNote>>;
  /** What is left out, with the reason. */
  readonly left: Readonly<Record<string, string>>;
  readonly kept: readonly Extract<Made, { kind: 'file' }>[];
}

/** Recognises the export of a program and converts it. */
export async function converted(program: string, files: Files): Promise<Converted> {
  const dialect = dialectOf(program);
  const tree = treeOf(files);
  const made: Made[] = [];
  for (const folder of await dialect.recognise(tree))
    for await (const one of dialect.convert(tree, folder)) made.push(one);
  const notes = made.filter((one) => one.kind === 'note');
  return {
    notes,
    at: Object.fromEntries(notes.map((note) => [note.place, note])),
    left: Object.fromEntries(
      made.flatMap((one) =>
        one.kind === 'left' ? [[[one.from, one.part].filter(Boolean).join(' · '), one.why]] : [],
      ),
    ),
    kept: made.filter((one) => one.kind === 'file'),
  };
}
