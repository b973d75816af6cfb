import * as z from 'zod';
import { BrainError } from '../base/errors';
import { isSha, type Sha } from '../base/hash';
import { inSlices, ITEMS_PER_STEP, type Steps, Tally } from '../base/steps';
import { compareText } from '../base/text';
import type { Brain } from '../operation/context';
import type { IMPORT_STATES } from '../operation/shapes';
import { appendLines, parseLine } from '../storage/lines';
import { fold, vaultPath } from '../vocabulary/paths';

/** The folder of the reports, below `.brain/`. */
const FOLDER = 'imports';
/** A report that was taken back can be put back for this long (ms): 30 days. */
export const KEPT_MS = 30 * 86_400_000;

const path = z.string().transform(vaultPath);
const sha = z.custom<Sha>(isSha);

/** The first line of a report. */
const head = z.object({
  v: z.literal(1),
  id: z.string(),
  name: z.string(),
  /** The folder of its pages in the vault. */
  folder: path,
  at: z.string(),
  /** The stamp of who imported. */
  by: z.string(),
  only_me: z.boolean(),
  /** What came: names of files and folders. */
  sources: z.array(z.string()),
  /** Sentences about the whole. */
  told: z.array(z.string()),
});
export type ReportHead = Readonly<z.output<typeof head>>;

/** A file that the import makes: a note, or a file beside notes. */
const made = z.object({
  path,
  /** Where it stood in what came. */
  from: z.string(),
  kind: z.enum(['note', 'file']),
  hash: sha,
  size: z.number(),
  /** The hash of its source, to tell whether a later export has changed it. */
  source: sha,
  /** The file of the import's folder that has its bytes. */
  file: z.number(),
  program: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});
export type MadeFile = Readonly<z.output<typeof made>>;

/** A file of a report; `run` is the number of the turn that writes it: a repeated import adds files. */
type ReportedFile = MadeFile & { readonly run: number };

/** A file that made nothing, with the reason in words. */
const left = z.object({ left: z.string(), why: z.string() });

/** What became of the import, in the order of the lines; a later `form` may say more. */
const turn = z.object({
  turn: z.enum(['writing', 'written', 'leaving', 'left', 'returning']),
  at: z.string(),
});
type Turn = Readonly<z.output<typeof turn>>;

/** An import as its report tells it. */
export interface Report extends ReportHead {
  readonly files: readonly ReportedFile[];
  readonly left: readonly { readonly from: string; readonly why: string }[];
  readonly turns: readonly Turn[];
}

const STANDING = {
  writing: 'writing',
  returning: 'writing',
  written: 'imported',
  leaving: 'leaving',
  left: 'taken_back',
} as const;

/**
 * Returns how an import stands: `writing` while its files are being written or after a cut, `imported`, `leaving` while it is being
 * taken back, and `taken_back`.
 */
export function stateOf({ turns }: Pick<Report, 'turns'>): (typeof IMPORT_STATES)[number] {
  return STANDING[turns.at(-1)?.turn ?? 'writing'];
}

/** Writes the report of an import, or what a repetition adds to it, durably, before its first file is written. */
export async function writeReport(
  { state }: Pick<Brain, 'state'>,
  first: ReportHead,
  files: readonly MadeFile[],
  leftOut: Report['left'],
  isRepeated: boolean,
): Promise<void> {
  const lines = [
    ...(isRepeated ? [] : [first]),
    ...files,
    ...leftOut.map(({ from, why }) => ({ left: from, why })),
  ];
  // The last line makes it a report: one that was cut before counts for nothing.
  await appendLines(state, fileOf(first.id), [...lines, { turn: 'writing', at: first.at }], true);
}

/** Adds to a report what became of the import, durably. */
export async function addTurn({ state }: Pick<Brain, 'state'>, id: string, said: Turn): Promise<void> {
  await appendLines(state, fileOf(id), [said], true);
}

/** Returns the report of an import; null when there is none, or only the beginning of one. */
export async function readReport(
  { state, pace }: Pick<Brain, 'state' | 'pace'>,
  id: string,
): Promise<Report | null> {
  const text = await state.read(fileOf(id));
  return text === null ? null : inSlices(reportSteps(text), pace);
}

function* reportSteps(text: string): Steps<Report | null> {
  let first: ReportHead | null = null;
  const files: ReportedFile[] = [];
  const leftOut: { from: string; why: string }[] = [];
  const turns: Turn[] = [];
  const tally = new Tally(ITEMS_PER_STEP);
  for (const line of text.split('\n')) {
    if (tally.isFull(32)) yield;
    const value = parseLine(line);
    if (value === undefined) continue;
    if (first === null) {
      const read = head.safeParse(value);
      if (!read.success) return null;
      first = read.data;
      continue;
    }
    const file = made.safeParse(value);
    if (file.success) files.push({ ...file.data, run: turns.length });
    const out = left.safeParse(value);
    if (out.success) leftOut.push({ from: out.data.left, why: out.data.why });
    const told = turn.safeParse(value);
    if (told.success) turns.push(told.data);
  }
  return first === null || turns.length === 0 ? null : { ...first, files, left: leftOut, turns };
}

/** Returns the reports of all imports, the newest first. */
export async function allReports(brain: Pick<Brain, 'state' | 'pace'>): Promise<Report[]> {
  const reports: Report[] = [];
  for (const file of await brain.state.list(FOLDER)) {
    const id = /\/([0-9a-f]{24})\.jsonl$/.exec(file)?.[1];
    const report = id === undefined ? null : await readReport(brain, id);
    if (report !== null) reports.push(report);
  }
  return reports.sort((a, b) => compareText(b.at, a.at));
}

/**
 * Returns the import with a name: the one that stands, else the last that was taken back.
 * @throws BrainError `not_found`, naming the imports that there are
 */
export async function importNamed(brain: Pick<Brain, 'state' | 'pace'>, name: string): Promise<Report> {
  const all = await allReports(brain);
  const named = all.filter((report) => fold(report.name) === fold(name.trim()));
  const found = named.find((report) => stateOf(report) !== 'taken_back') ?? named[0];
  if (found !== undefined) return found;
  const names = [...new Set(all.map((report) => report.name))].slice(0, 10).join(', ');
  throw new BrainError(
    'not_found',
    `There is no import "${name}".${names === '' ? ' Nothing was imported yet.' : ` There are: ${names}.`}`,
    { field: 'name' },
  );
}

function fileOf(id: string): string {
  return `${FOLDER}/${id}.jsonl`;
}
