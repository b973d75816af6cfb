import * as z from 'zod';
import { BrainError, called } from '../base/errors';
import { timestamp } from '../base/time';
import type { Brain } from '../operation/context';
import { dryRunField, hallField, hashField, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { countShape, hallShape, hashShape, pathShape, timeShape } from '../operation/shapes';
import type { NoteRecord } from '../catalog/record';
import { refuseAgents } from '../review/confirm';
import { pendingNotes } from '../review/pending';
import { sanitiseWing } from '../vocabulary/address';
import {
  decideRules,
  type Definition,
  MAX_PER_DAY,
  MAX_RULES,
  readRules,
  type Rule,
  type StoredRules,
  triedHash,
} from './file';
import { judgedNotes } from './judge';
import { rulesPast, type RulesPast } from './past';

const PER_DAY = 50;
/** The most notes that a dry run lists as ready, and as left. */
const MAX_LISTED = 200;

const ruleShape = z.object({
  name: z.string(),
  by: z.string().describe('The writer whose notes it promotes'),
  wing: z.string().optional().describe('Only notes that suggest this wing'),
  hall: hallShape.optional().describe('Only notes that suggest this hall'),
  on: z.boolean(),
  per_day: countShape.describe('At most so many notes in a calendar day; the rest waits'),
  made_by: z.string(),
  made_at: timeShape,
  device: z.string().describe('It acts on this device alone'),
  here: z.boolean().describe('True when that is the device that answers'),
  promoted: countShape,
  promoted_today: countShape,
  last_at: timeShape.optional(),
  failures: countShape.describe('In a row; after three it is switched off'),
  stopped: z.string().optional().describe('Why it was switched off by itself'),
});

/**
 * Lists the rules that promote queued notes, by name, each with what it has done. When their file cannot be used, `problem` says
 * so, and no rule acts.
 */
export const listRules = operation({
  name: 'rules',
  scope: 'review',
  mutates: false,
  whole: true,
  input: z.strictObject({}),
  output: z.object({ count: countShape, rules: z.array(ruleShape), problem: z.string().optional() }),
  async run(brain) {
    const { rules, problem } = await readRules(brain.state);
    const past = await rulesPast(brain);
    return {
      count: rules.length,
      rules: rules.map((rule) => shown(brain, rule, past)),
      ...(problem !== undefined && { problem }),
    };
  },
});

function shown({ device }: Pick<Brain, 'device'>, rule: Rule, past: RulesPast): z.input<typeof ruleShape> {
  const { all, today, last } = past.promotionsOf(rule.name);
  return {
    ...rule,
    here: rule.device === device,
    promoted: all,
    promoted_today: today,
    ...(last !== undefined && { last_at: last }),
  };
}

/**
 * Makes, changes, switches or removes a rule that promotes the queued notes of a writer which nobody needs to look at. Only a
 * person does that, or the owner. Without `by` it is about the rule of this name as it is. A rule is off unless `on` is true,
 * and acts only on the device where it was switched on.
 * | A dry run returns which notes are ready and why others are left, with `tried`; switching on requires that value. Fails with
 * `forbidden_scope`, `missing_field`, `invalid_field`, `invalid_wing`, or `not_found`; nothing has changed then.
 */
export const setRule = operation({
  name: 'set_rule',
  scope: 'review',
  mutates: true,
  whole: true,
  input: z.strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 lower-case letters, digits and hyphens')
      .describe('The name of the rule, such as "ci"'),
    by: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .optional()
      .describe('The writer whose notes it promotes: a whole name of a token, such as "ci-bot"'),
    wing: wingField.optional().describe('Only notes that suggest this wing'),
    hall: hallField.optional().describe('Only notes that suggest this hall'),
    per_day: z
      .number()
      .int()
      .min(1)
      .max(MAX_PER_DAY)
      .optional()
      .describe(`At most so many notes in a calendar day; ${PER_DAY} by default`),
    on: z.boolean().optional().describe('True to switch it on, which requires "tried"; false by default'),
    tried: hashField.optional().describe('`tried` of the dry run of this very rule'),
    remove: z.boolean().optional().describe('True to remove it; what it promoted stays'),
    dry_run: dryRunField,
  }),
  output: z.object({
    rule: ruleShape,
    removed: z.literal(true).optional(),
    tried: hashShape.optional().describe('Stands for this rule; in a dry run'),
    ready: z.array(z.object({ path: pathShape, title: z.string(), to: pathShape })).optional(),
    ready_count: countShape.optional(),
    left: z.array(z.object({ path: pathShape, title: z.string(), why: z.string() })).optional(),
    left_count: countShape.optional(),
  }),
  async run(brain, input, caller) {
    refuseAgents(caller, 'makes a rule');
    const { name, on = false, tried, remove = false, dry_run: dryRun = false } = input;
    const stored = await readRules(brain.state);
    const former = stored.rules.find((rule) => rule.name === name);
    const queue = pendingNotes(brain).map(({ note }) => note);
    const past = await rulesPast(brain);
    if (remove) {
      if (former === undefined) throw noRule(name, stored);
      if (!dryRun) await decideRules(brain, (rules) => rules.filter((rule) => rule.name !== name));
      return { rule: shown(brain, former, past), removed: true as const };
    }
    const definition = definitionOf(input, former, stored);
    const hash = triedHash(definition);
    const isSame = former !== undefined && triedHash(former) === hash;
    const rule: Rule = {
      ...definition,
      on,
      // Its stamp stays, so that all that it does can be undone as one.
      made_by: isSame ? former.made_by : `human:${caller.human ? caller.name : brain.config.humanName}`,
      made_at: isSame ? former.made_at : timestamp(brain.clock.now()),
      device: brain.device,
      failures: 0,
    };
    if (dryRun)
      return { rule: shown(brain, rule, past), tried: hash, ...(await triedRule(brain, rule, queue, past)) };
    if (on) refuseUntried(tried, hash);
    await decideRules(brain, (rules) => {
      const others = rules.filter((other) => other.name !== name);
      if (others.length >= MAX_RULES)
        throw new BrainError(
          'invalid_field',
          `There are ${MAX_RULES} rules already. Remove one that is no longer needed.`,
          { field: 'name' },
        );
      return [...others, rule];
    });
    return { rule: shown(brain, rule, past) };
  },
});

type Input = z.output<(typeof setRule)['input']>;

/**
 * Returns what the rule of an input does.
 * @throws BrainError `missing_field` or `not_found` without `by` and a rule to take it from, `invalid_wing`
 */
function definitionOf(input: Input, former: Rule | undefined, stored: StoredRules): Definition {
  const { name, wing, hall, per_day: perDay } = input;
  const isNew = input.by !== undefined;
  if (!isNew && (wing ?? hall ?? perDay) !== undefined)
    throw new BrainError('missing_field', '"by" is required with "wing", "hall" or "per_day".', {
      field: 'by',
    });
  const given = isNew ? { by: input.by, wing, hall, per_day: perDay } : former;
  if (given?.by === undefined) throw noRule(name, stored);
  return {
    name,
    by: given.by,
    ...(given.wing !== undefined && { wing: sanitiseWing(given.wing) }),
    ...(given.hall !== undefined && { hall: given.hall }),
    per_day: given.per_day ?? PER_DAY,
  };
}

function noRule(name: string, { problem }: StoredRules): BrainError {
  return new BrainError(
    'not_found',
    `There is no rule "${name}". ${problem ?? `Give "by" to make one; ${called('rules', 'the list of rules')} names those that are there.`}`,
    { name },
  );
}

/** @throws BrainError `missing_field` or `invalid_field` unless `tried` is of a dry run of the rule with this hash */
function refuseUntried(tried: string | undefined, hash: string): void {
  const todo =
    'Call once with "dry_run": true, look at the notes that are ready, and send the "tried" of that answer.';
  if (tried === undefined)
    throw new BrainError('missing_field', `"tried" is required to switch a rule on. ${todo}`, {
      field: 'tried',
    });
  if (tried !== hash)
    throw new BrainError('invalid_field', `"tried" is of another rule than this. ${todo}`, {
      field: 'tried',
    });
}

async function triedRule(brain: Brain, rule: Rule, queue: readonly NoteRecord[], past: RulesPast) {
  const ready: { path: string; title: string; to: string }[] = [];
  const left: { path: string; title: string; why: string }[] = [];
  let [readyCount, leftCount] = [0, 0];
  for await (const { note, to, why = '' } of judgedNotes(brain, rule, queue, past)) {
    const { path, title } = note;
    if (to === undefined) {
      leftCount += 1;
      if (left.length < MAX_LISTED) left.push({ path, title, why });
    } else {
      readyCount += 1;
      if (ready.length < MAX_LISTED) ready.push({ path, title, to });
    }
  }
  return { ready, ready_count: readyCount, left, left_count: leftCount };
}
