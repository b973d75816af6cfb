import * as z from 'zod';
import { BrainError } from '../base/errors';
import { utf8Length } from '../base/hash';
import { asciiJson } from '../base/json';
import { timestamp } from '../base/time';
import { resolveInputPath } from '../notes/targets';
import type { Brain } from '../operation/context';
import { dryRunField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, pathShape } from '../operation/shapes';
import { outcomeOf, recordTime, sessionFile } from './records';

/** The longest record, in UTF-8 bytes of its line. */
const MAX_RECORD = 16 * 1024;
/** The most records in one call: enough for a long session, with a bounded wait for other writers. */
const MAX_RECORDS = 1000;
const MAX_NAME = 200;

const notBlank = (text: string): boolean => text.trim() !== '';
const isTime = (value: string | number): boolean => recordTime(value) !== null;
const TIME_HELP = 'must be a time such as "2026-11-20T10:32:00Z"';

/** The names of the time field of a record; records are written with the first one. */
const TIME_NAMES = ['timestamp', 'ts', 'time'] as const;

const timeField = z
  .union([z.string(), z.number()])
  .refine(isTime, `${TIME_HELP}, or a number of seconds or milliseconds since the epoch`)
  .optional();

const fields = {
  skill: z
    .string()
    .max(MAX_NAME)
    .refine(notBlank, 'must not be empty')
    .describe('Name of the skill that ran'),
  status: z
    .string()
    .max(MAX_NAME)
    .refine(notBlank, 'must not be empty')
    .refine((status) => outcomeOf(status) !== 'unknown', 'must be "pass", "fail" or "skip"')
    .describe('pass, fail or skip; also ok, error and skipped, as older records have it'),
  session_id: z.string().optional(),
  agent: z.string().optional().describe('Who ran it'),
  model: z.string().optional(),
  duration_ms: z.number().min(0).optional().describe('How long it took, in milliseconds'),
  summary: z.string().optional().describe('What was done, in a sentence'),
  error: z.string().optional().describe('What went wrong'),
  notes: z.array(z.string()).optional().describe('Vault paths of the notes that were used or written'),
};

const recordInput = z
  .strictObject({
    ...fields,
    timestamp: timeField.describe('When it ran; now when left out'),
    ts: timeField.describe('The same as timestamp'),
    time: timeField.describe('The same as timestamp'),
    v: z.literal(1).optional().describe('Version of the record'),
  })
  .superRefine((record, context) => {
    const [, second] = TIME_NAMES.filter((name) => record[name] !== undefined);
    if (second === undefined) return;
    context.addIssue({
      code: 'custom',
      path: [second],
      message: `give only one of ${TIME_NAMES.join(', ')}; they mean the same`,
    });
  });

const oneInput = z.strictObject({
  ...fields,
  status: z.enum(['pass', 'fail', 'skip']),
  // The type is text only, because some MCP clients cannot handle a field of two types.
  timestamp: z
    .string()
    .refine(isTime, TIME_HELP)
    .optional()
    .describe('When it ran (RFC 3339); now when left out'),
});

const output = z.object({
  file: pathShape.describe('The session log that was appended to'),
  line: countShape.describe('Number of the last line appended, from 1'),
  count: countShape.describe('Number of records appended'),
});

/** Appends records to this device's session log of the month, durably and atomically in one write. */
export const logSession = operation({
  name: 'log-session',
  scope: 'write',
  mutates: true,
  input: z.strictObject({
    records: z.array(recordInput).min(1, 'must hold at least one record').max(MAX_RECORDS),
    dry_run: dryRunField,
  }),
  output,
  run: (brain, { records, dry_run: dryRun }) => appendRecords(brain, records, dryRun === true),
});

/** Appends one record, whose fields are the input. */
export const logOneSession = operation({
  name: 'log-session',
  scope: 'write',
  mutates: true,
  input: oneInput,
  output,
  run: (brain, record) => appendRecords(brain, [record], false),
});

async function appendRecords(
  brain: Pick<Brain, 'catalog' | 'vault' | 'clock' | 'device' | 'writer' | 'whole' | 'limits'>,
  records: readonly z.output<typeof recordInput>[],
  dryRun: boolean,
): Promise<z.output<typeof output>> {
  const now = brain.clock.now();
  const lines = records.map((record, index) => recordLine(brain, record, now, index));
  const file = sessionFile(now, brain.device);
  return brain.writer.run(async () => {
    const log = (await brain.whole.vault.read(file)) ?? '';
    // The line feed ends a line that a crash or another program left incomplete.
    const gap = log === '' || log.endsWith('\n') ? '' : '\n';
    const added = gap + lines.join('');
    if (!dryRun) await brain.whole.vault.append(file, added);
    // To a caller who may not read the file, its line tells how many records others have written.
    const before = (brain.limits?.sees(file) ?? true) ? lineEnds(log) + lineEnds(gap) : 0;
    return { file, line: before + lines.length, count: lines.length };
  });
}

/**
 * Returns the line of a record.
 * @throws BrainError `invalid_field` or `path_not_allowed` for a path in `notes`, `too_large`
 */
function recordLine(
  brain: Pick<Brain, 'catalog'>,
  record: z.output<typeof recordInput>,
  now: Date,
  index: number,
): string {
  const { v, skill, timestamp: at, ts, time, status, notes, ...rest } = record;
  const kept = {
    v: v ?? 1,
    skill,
    timestamp: timestamp(recordTime(at ?? ts ?? time) ?? now),
    status,
    ...rest,
    ...(notes && { notes: notes.map((note) => resolveInputPath(brain, note)) }),
  };
  const bytes = utf8Length(JSON.stringify(kept));
  if (bytes <= MAX_RECORD) return `${asciiJson(kept)}\n`;
  throw new BrainError(
    'too_large',
    `Record ${index} has ${bytes} bytes; a session record may have ${MAX_RECORD}. Shorten summary or error, or write a note and name it in notes.`,
    { index, bytes, limit: MAX_RECORD },
  );
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
