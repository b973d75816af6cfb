import * as z from 'zod';
import { BrainError } from '../base/errors';
import { compareText } from '../base/text';
import { parseTime, timestamp } from '../base/time';
import type { Brain } from '../operation/context';
import { outcomeOfCall } from '../operation/descriptors';
import { limitField, offsetField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape } from '../operation/shapes';
import { inputPath, type VaultPath, withoutBrain } from '../vocabulary/paths';
import { type AuditLine, auditLineSchema, parseAuditLine } from './line';
import { auditFiles, splitLines } from './log';

const MAX_ENTRIES = 200;
const STANDARD_ENTRIES = 50;

const entryShape = auditLineSchema.omit({ prev: true });

/**
 * Lists the tool calls in the audit log, newest first, from every device that shares the vault. All filters must match; `since`
 * and `until` are inclusive. Lines that do not parse are left out: `verify` reports them.
 */
export const listAudit = operation({
  name: 'audit',
  scope: 'admin',
  mutates: false,
  whole: true,
  input: z.strictObject({
    tool: z.string().optional().describe('Name of the tool'),
    actor: z.string().optional().describe('Token name, or human:<name>'),
    path: z.string().optional().describe('Note that the answer named'),
    ok: z.boolean().optional().describe('Whether the call went well'),
    changed: z.boolean().optional().describe('Whether the call changed something'),
    since: z.string().optional().describe('Earliest time, RFC 3339 or YYYY-MM-DD'),
    until: z.string().optional().describe('Latest time, RFC 3339 or YYYY-MM-DD'),
    limit: limitField(MAX_ENTRIES, STANDARD_ENTRIES),
    offset: offsetField,
  }),
  output: z.object({ count: countShape, total: countShape, entries: z.array(entryShape) }),
  async run(brain, { tool, actor, path, ok, changed, since, until, limit, offset }) {
    const from = bound('since', since);
    const to = bound('until', until);
    // No file is opened, and lines may name a removed one, so every name is accepted. A folder "brain" has to be known.
    const isName = (at: VaultPath): boolean => withoutBrain(at) === at || brain.catalog.taken(at) === at;
    const note = path === undefined ? undefined : inputPath(path, brain.config.rootNote, isName);
    const fits = (line: AuditLine): boolean =>
      (tool === undefined || line.tool === tool) &&
      (actor === undefined || line.actor === actor) &&
      (note === undefined || line.paths.includes(note)) &&
      (ok === undefined || line.ok === ok) &&
      (changed === undefined || (outcomeOfCall(line) === 'changed') === changed) &&
      (from === undefined || line.ts >= from) &&
      (to === undefined || line.ts <= to);
    const found = (await linesSince(brain, from, fits)).sort(newestFirst);
    const entries = found.slice(offset, offset + limit).map(({ prev: _, ...entry }) => entry);
    return { count: entries.length, total: found.length, entries };
  },
});

function bound(field: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const time = parseTime(value);
  if (time !== null) return timestamp(time);
  throw new BrainError(
    'invalid_field',
    `"${field}" must be a time such as 2026-11-20T10:32:00Z or a date such as 2026-11-20.`,
    { field },
  );
}

/**
 * Returns every line that matches, from the files that can have one at or after `from`: the lines of a file are never later
 * than its month. A log grows for years, so the work is sliced.
 */
async function linesSince(
  { state, pace }: Pick<Brain, 'state' | 'pace'>,
  from: string | undefined,
  fits: (line: AuditLine) => boolean,
): Promise<AuditLine[]> {
  const found: AuditLine[] = [];
  for (const { path, month } of await auditFiles(state)) {
    if (from !== undefined && month < from.slice(0, 7)) continue;
    for (const text of splitLines((await state.read(path)) ?? '').lines) {
      const line = await pace.run(() => parseAuditLine(text));
      if (line !== null && fits(line)) found.push(line);
    }
  }
  return found;
}

function newestFirst(a: AuditLine, b: AuditLine): number {
  return compareText(b.ts, a.ts) || b.seq - a.seq || compareText(a.id, b.id);
}
