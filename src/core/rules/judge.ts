import { BrainError } from '../base/errors';
import type { Timestamp } from '../base/time';
import { wingKey } from '../catalog/wings';
import type { NoteRecord } from '../catalog/record';
import { LOCK_KEY } from '../frontmatter/compose';
import type { Brain } from '../operation/context';
import { findingsHash } from '../review/kept';
import { promoteNote } from '../review/promote';
import { forgetTarget } from '../review/review-note';
import { findAlike, type Risky, riskyOf, suggestedAddress } from '../review/risks';
import { snoozedUntil } from '../review/snooze';
import { type Caller, ALL_SCOPES } from '../access/tokens';
import { hasSigns } from '../vocabulary/address';
import { envelopeProblem, isWriter } from '../vocabulary/envelope';
import type { Definition, Rule } from './file';
import type { RulesPast } from './past';

/** A queued note of a rule: where it goes, or why it is left to a person. */
export interface Judged {
  readonly note: NoteRecord;
  /** The address in the wiki; absent for a note that is left. */
  readonly to?: string;
  /** A sentence for the person; absent for a note that is ready. */
  readonly why?: string;
}

/**
 * Returns the caller of a rule's promotions. Its stamp is that of the person who made it and its own name; it has none of a
 * person's privileges, because nobody looks at the notes.
 */
export function callerOf({ name, made_by: madeBy }: Pick<Rule, 'name' | 'made_by'>): Caller {
  return { origin: 'watcher', name: `${madeBy}/rule:${name}`, human: false, scopes: ALL_SCOPES };
}

/** The findings of a text in which the gate changes nothing. */
const NO_FINDINGS = findingsHash([]);

/** Returns the input of the promotion of a note at its suggested address, refused when it is another text or has findings. */
export function promotionOf({ catalog }: Pick<Brain, 'catalog'>, note: NoteRecord) {
  const at = suggestedAddress({ catalog }, note);
  const { wing: named } = note.frontmatter;
  return at === null
    ? null
    : {
        path: note.path,
        wing: typeof named === 'string' && hasSigns(named) ? named : at.wing,
        hall: at.hall,
        expected_hash: note.content_hash,
        findings_hash: NO_FINDINGS,
      };
}

/**
 * Yields the queued notes of a rule, oldest first, each judged when it is asked for. Of several notes with one address the
 * oldest is ready.
 * @param queue the notes of the queue, oldest first, taken before `past` was read: a note that is put back meanwhile is not among them
 */
export async function* judgedNotes(
  brain: Brain,
  rule: Definition & Pick<Rule, 'made_by'>,
  queue: readonly NoteRecord[],
  past: RulesPast,
): AsyncGenerator<Judged> {
  const matching = queue.filter((note) => isOfRule(rule, note));
  if (matching.length === 0) return;
  // Nothing is promoted before its near-equal notes are known.
  await findAlike(brain, queue);
  const keptOf = await brain.whole.sent.look();
  const places = new Set<string>();
  for (const note of matching) {
    // A note that has changed or gone meanwhile waits for the next look.
    if (brain.catalog.record(note.path) !== note) continue;
    const why =
      whyUnplaced(brain, rule, note) ??
      (await whyOfPast(past, note)) ??
      // A file that cannot be read now was not compared.
      (brain.alike.has(note) ? null : 'It could not be compared with the rest of the queue.') ??
      whyRisky(await riskyOf(brain, note, keptOf)) ??
      // A person may have put it off while the notes before it were promoted.
      whySnoozed(await snoozedUntil(await brain.whole.past.recent(), note, brain.clock.now()));
    const judged = why === null ? await triedPromotion(brain, rule, note) : { note, why };
    const { to } = judged;
    if (to !== undefined && places.has(to)) {
      yield { note, why: `An older note of the queue has the same address, ${to}.` };
      continue;
    }
    if (to !== undefined) places.add(to);
    yield judged;
  }
}

function whySnoozed(until: Timestamp | null): string | null {
  return until === null ? null : `It is put off until ${until}.`;
}

/** Returns true for a note of the rule's writer that names the rule's wing and hall. */
function isOfRule({ by, wing: wanted, hall: wantedHall }: Definition, note: NoteRecord): boolean {
  const { wing, hall } = note.frontmatter;
  if (!isWriter(note.written_by, by)) return false;
  if (wantedHall !== undefined && hall !== wantedHall) return false;
  return wanted === undefined || (typeof wing === 'string' && wingKey(wing) === wingKey(wanted));
}

/** Says why the properties of a note, or its place, need a person; null when they do not. */
function whyUnplaced(brain: Pick<Brain, 'catalog'>, rule: Definition, note: NoteRecord): string | null {
  if (note.problem !== null) return note.problem;
  if (note.frontmatter[LOCK_KEY] !== undefined) return 'It has a lock.';
  if (forgetTarget(note) !== null) return 'It asks that a note is forgotten.';
  const at = suggestedAddress(brain, note);
  if (at === null) return 'It names no wing and hall to which it belongs.';
  if (rule.wing === undefined && brain.catalog.knownWing(at.wing) === null)
    return `It would be the first note of the wing "${at.wing}", which the rule does not name.`;
  const linking = brain.catalog
    .linksTo(note.path)
    .find((from) => brain.catalog.record(from)?.status === 'vault');
  if (linking !== undefined) return `Your note ${linking} links to it, and a rule leaves your notes alone.`;
  return envelopeProblem(note.frontmatter);
}

/** The operations that put a new note into the queue. All others give a decided note back. */
const ARRIVALS: ReadonlySet<string> = new Set(['write', 'ingest']);

/** Says why the way of a note into the queue needs a person; null when the service wrote exactly this text for its writer. */
async function whyOfPast(past: RulesPast, note: NoteRecord): Promise<string | null> {
  const arrival = await past.arrivalOf(note.path);
  if (arrival === null) return 'The service did not put it into the queue.';
  if (!ARRIVALS.has(arrival.op)) return 'A person has put it back into the queue.';
  if (arrival.hash === note.content_hash) return null;
  return 'Its text was changed by hand or by another program.';
}

const RISK_SENTENCES: Readonly<Record<Risky['risks'][number], string>> = {
  active_content: 'It has active content.',
  made_harmless: 'The gate made something in it harmless when it came in.',
  collision: 'There is a note at its address.',
  near_duplicate: 'It is like another note.',
  rejected_before: 'The same text was rejected before.',
  unverified: 'None of its quotes was found in its source.',
  link_removed: 'It would lose a link.',
};

function whyRisky({ risks: [risk], collision, same: [twin] }: Risky): string | null {
  if (risk === undefined) return null;
  if (collision !== undefined) return `There is a note at its address, ${collision}.`;
  if (twin !== undefined) return `It is like another note of the queue, ${twin}.`;
  return RISK_SENTENCES[risk];
}

/** Tries the promotion: a note is ready when it succeeds without a remark. */
async function triedPromotion(
  brain: Brain,
  rule: Pick<Rule, 'name' | 'made_by'>,
  note: NoteRecord,
): Promise<Judged> {
  const promotion = promotionOf(brain, note);
  if (promotion === null) return { note, why: 'It names no wing and hall to which it belongs.' };
  try {
    const tried = await promoteNote.run(brain, { ...promotion, dry_run: true }, callerOf(rule));
    const [warning] = tried.warnings;
    if (warning !== undefined) return { note, why: warning };
    const loses = tried.refs.some(({ unlinked, reason = 'self' }) => unlinked || reason !== 'self');
    return loses ? { note, why: RISK_SENTENCES.link_removed } : { note, to: tried.path };
  } catch (error) {
    if (!(error instanceof BrainError)) throw error;
    const isFinding = error.details !== undefined && 'findings_hash' in error.details;
    return { note, why: isFinding ? 'The gate would change it.' : error.message };
  }
}
