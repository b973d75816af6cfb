import { BrainError } from '../base/errors';
import type { StopSignal } from '../base/host';
import type { Brain } from '../operation/context';
import { pendingNotes } from '../review/pending';
import { promoteNote } from '../review/promote';
import { readRules, type Rule, saveRules, triedHash } from './file';
import { callerOf, type Judged, judgedNotes, promotionOf } from './judge';
import { rulesPast } from './past';

/** A rule that fails this often in a row is switched off. */
const MAX_FAILURES = 3;

/** What a promotion refuses when the note is no longer ready, or when it has to wait: the next look decides again. */
const NOT_READY: ReadonlySet<string> = new Set([
  'hash_mismatch',
  'source_missing',
  'not_in_queue',
  'destination_exists',
  'busy',
  'starting',
  'too_entangled',
]);

/**
 * Promotes the ready notes of the rules that were switched on here, one after another, behind the writers that wait. `signal`
 * stops it between two notes. Each promotion is an ordinary one, so it may be cut anywhere.
 */
export async function runRules(brain: Brain, signal: StopSignal): Promise<void> {
  const { rules, problem } = await readRules(brain.state);
  if (problem !== undefined) brain.log.warn('rules.file', { message: problem });
  for (const rule of rules) {
    if (!rule.on || rule.device !== brain.device) continue;
    await runRule(brain, rule, signal);
    if (signal.stopped) return;
  }
}

async function runRule(brain: Brain, rule: Rule, signal: StopSignal): Promise<void> {
  const queue = pendingNotes(brain).map(({ note }) => note);
  const past = await rulesPast(brain);
  let left = rule.per_day - past.promotionsOf(rule.name).today;
  let { failures } = rule;
  if (left <= 0) return;
  for await (const judged of judgedNotes(brain, rule, queue, past)) {
    // Others who wait for the vault come first.
    if (judged.to !== undefined) await brain.writer.idle();
    if (signal.stopped || !(await isStillOn(brain, rule))) return;
    const failure = judged.to === undefined ? null : await promoted(brain, rule, judged, signal);
    if (failure === null) continue;
    if (failure === 'done') left -= 1;
    const now = failure === 'done' ? 0 : failures + 1;
    if (now !== failures) await saveFailures(brain, rule, now, failure);
    failures = now;
    if (left === 0 || failures >= MAX_FAILURES) return;
  }
}

/** Returns true for another state of the same rule, switched on for the same device. */
function isSameRule(rule: Rule, other: Rule): boolean {
  return other.on && other.device === rule.device && triedHash(other) === triedHash(rule);
}

/** Returns false once a person has changed the rule: on this device, or on another one whose file has come here. */
async function isStillOn({ state }: Pick<Brain, 'state'>, rule: Rule): Promise<boolean> {
  return (await readRules(state)).rules.some((other) => isSameRule(rule, other));
}

/** Resolves with `done`, with null when the note is no longer ready, and with the reason of a failure. */
async function promoted(
  brain: Brain,
  rule: Rule,
  { note }: Judged,
  signal: StopSignal,
): Promise<'done' | null | (string & {})> {
  const { path } = note;
  try {
    const promotion = promotionOf(brain, note);
    if (promotion === null) return null;
    const { path: to } = await promoteNote.run(brain, promotion, callerOf(rule), { signal });
    brain.log.info('rules.promoted', { rule: rule.name, path, to });
    return 'done';
  } catch (error) {
    if (error instanceof BrainError && NOT_READY.has(error.code)) return null;
    brain.log.error('rules.promote', { rule: rule.name, path, message: String(error) });
    // The text of another error may have paths of the machine, so only the log has it.
    const reason = error instanceof BrainError ? error.message : 'The log of the server has the error.';
    return `${path} could not be promoted. ${reason}`;
  }
}

/** Keeps how often a rule has failed in a row, unless a person has changed it meanwhile. */
function saveFailures(brain: Brain, rule: Rule, failures: number, reason: string): Promise<void> {
  const isOver = failures >= MAX_FAILURES;
  const stopped = `It failed ${MAX_FAILURES} times in a row. ${reason}`;
  if (isOver) brain.log.warn('rules.stopped', { rule: rule.name, message: stopped });
  return saveRules(brain, (rules) => {
    const isSame = (other: Rule): boolean => isSameRule(rule, other);
    if (!rules.some(isSame)) return null;
    return rules.map((other) =>
      isSame(other) ? { ...other, failures, ...(isOver && { on: false, stopped }) } : other,
    );
  });
}
