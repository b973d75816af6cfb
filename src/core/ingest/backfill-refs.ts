import * as z from 'zod';
import type { Brain } from '../brain';
import type { NoteRecord } from '../catalog/note-record';
import { wingKey } from '../catalog/wing-folders';
import type { Caller } from '../caller';
import { type Change, changeVault } from '../change-vault';
import { BrainError } from '../errors';
import { dryRunField, hallField, wingField } from '../fields';
import { wingFolder } from '../notes/target';
import { operation } from '../operation';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import { isLocked } from '../rules/lock';
import { countShape, pathShape } from '../shapes';
import { listOf, withReferences } from './back-references';
import {
  EVIDENCE,
  type Evidence,
  knownOrigins,
  type KnownOrigins,
  provenReferences,
} from './reference-evidence';
import { additionsOf } from './source-addition';

const input = z.strictObject({
  wing: wingField.optional(),
  hall: hallField.optional(),
  dry_run: dryRunField,
});

const changeShape = z.object({
  path: pathShape,
  added: z.array(z.string()).describe('Elements of sources'),
  evidence: z.array(z.enum(EVIDENCE)).describe('What proves each of them, in the same order'),
});

const output = z.object({
  scanned: countShape,
  updated: countShape,
  already: countShape.describe('Notes that lack none of their sources'),
  unresolved: countShape.describe('Notes without sources of which nothing proves any'),
  changes: z.array(changeShape),
  errors: z.array(z.object({ path: pathShape, error: z.string() })),
});

type Result = z.input<typeof output>;

/**
 * Adds to the notes of the wiki and of `knowledge/` the references to their sources that they lack, as far as something proves
 * them: the ledger, the hash of the original, their own properties, links to notes in the hall of sources, a line `Source:`.
 * Doing it again changes nothing. A note that cannot be changed is listed and does not stop the others; an original that
 * cannot be read proves nothing, which is logged.
 */
export const backfillRefs = operation({
  name: 'backfill_refs',
  scope: 'write',
  mutates: true,
  input,
  output,
  async run(brain, { wing: wingName, hall, dry_run: dryRun = false }, caller, watch = {}) {
    const wing = wingName === undefined ? null : wingKey(wingFolder(brain, wingName));
    const notes = [...brain.catalog.notes('wiki'), ...brain.catalog.notes('knowledge')].filter(
      (note) =>
        (wing === null || (note.wing !== null && wingKey(note.wing) === wing)) &&
        (hall === undefined || note.hall === hall),
    );
    // All that is looked at: the originals, where any have to be, and then the notes.
    let originals = 0;
    const known = await knownOrigins(brain, notes, {
      signal: watch.signal,
      progress({ done, total }) {
        originals = total;
        watch.progress?.({ done, total: total + notes.length });
      },
    });
    const result: Result = {
      scanned: 0,
      updated: 0,
      already: 0,
      unresolved: 0,
      changes: [],
      errors: [],
    };
    for (const [done, note] of notes.entries()) {
      if (watch.signal?.stopped === true) break;
      watch.progress?.({ done: originals + done, total: originals + notes.length });
      result.scanned += 1;
      const outcome = await backfill(brain, note, known, { dryRun, caller });
      if (typeof outcome === 'string') result[outcome] += 1;
      else if ('error' in outcome) result.errors.push({ path: note.path, error: outcome.error });
      else {
        result.updated += 1;
        result.changes.push({ path: note.path, ...outcome });
      }
    }
    return result;
  },
});

type Outcome =
  | 'already'
  | 'unresolved'
  | { readonly error: string }
  | { readonly added: string[]; readonly evidence: Evidence[] };

async function backfill(
  brain: Brain,
  note: NoteRecord,
  known: KnownOrigins,
  { dryRun, caller }: { readonly dryRun: boolean; readonly caller: Caller },
): Promise<Outcome> {
  try {
    return await changeVault(brain, () => planned(brain, note, known, caller), { dryRun });
  } catch (error) {
    if (error instanceof BrainError) return { error: error.message };
    throw error;
  }
}

async function planned(
  brain: Brain,
  note: NoteRecord,
  known: KnownOrigins,
  caller: Caller,
): Promise<Change<Outcome>> {
  const text = await brain.vault.read(note.path);
  if (text === null) return { plan: null, result: { error: `${note.path} is gone since it was read.` } };
  const { body, frontmatter } = parseNote(text);
  const proven = await provenReferences(brain, { ...note, frontmatter }, body, known);
  const changed = withReferences(
    text,
    proven.map(({ reference }) => reference),
    brain.catalog,
  );
  const { added } = changed;
  if (added.length === 0) {
    const has = proven.length > 0 || listOf(frontmatter.sources).length > 0;
    return { plan: null, result: has ? 'already' : 'unresolved' };
  }
  if (isLocked(text)) {
    const error = `It is locked by its owner ("locked: true"), so ${added.join(', ')} was not added.`;
    return { plan: null, result: { error } };
  }
  const evidence = added.flatMap(
    (each) => proven.find(({ reference }) => reference === each)?.evidence ?? [],
  );
  const step = { kind: 'edit', path: note.path, before: sha256(text), text: changed.text } as const;
  const addition = additionsOf(brain, [{ edit: step, added }], caller);
  return {
    prepare: () => addition.record(),
    failed: () => addition.takeBack(),
    plan: { op: 'backfill-refs', steps: [step] },
    result: { added, evidence },
    absent: 'note_not_found',
  };
}
