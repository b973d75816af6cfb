import * as z from 'zod';
import { type Sha, sha256 } from '../base/hash';
import { isRecord, parsedJson } from '../base/json';
import { compareText } from '../base/text';
import type { Brain } from '../operation/context';
import type { StateStore } from '../ports/ports';
import { HALLS } from '../vocabulary/address';

const FILE = 'rules.json';
/** A person keeps few rules in mind. */
export const MAX_RULES = 50;
export const MAX_PER_DAY = 1000;

const ruleShape = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]{1,40}$/),
  by: z.string().min(1).max(200),
  wing: z.string().min(1).optional(),
  hall: z.enum(HALLS).optional(),
  per_day: z.number().int().min(1).max(MAX_PER_DAY),
  on: z.boolean(),
  made_by: z.string().startsWith('human:'),
  made_at: z.string(),
  device: z.string(),
  failures: z.number().int().min(0),
  stopped: z.string().optional(),
});

/** A rule of a person: which queued notes are promoted without a look. */
export type Rule = Readonly<z.output<typeof ruleShape>>;

const fileShape = z.strictObject({ v: z.literal(1), rules: z.array(ruleShape).max(MAX_RULES) });

/** The rules of a vault, by name; `problem` says why the file cannot be used, and no rule acts then. */
export interface StoredRules {
  readonly rules: readonly Rule[];
  readonly problem?: string;
}

/** Reads the rules of the vault. */
export async function readRules(state: Pick<StateStore, 'read'>): Promise<StoredRules> {
  return rulesIn(await state.read(FILE));
}

function rulesIn(text: string | null): StoredRules {
  if (text === null) return { rules: [] };
  const problem = (what: string): StoredRules => ({
    rules: [],
    problem: `.brain/${FILE} ${what}, so no rule acts.`,
  });
  const value = parsedJson(text);
  if (isRecord(value) && typeof value.v === 'number' && value.v !== 1)
    return problem('comes from another version of Brain Server');
  const parsed = fileShape.safeParse(value);
  if (!parsed.success) return problem('is damaged');
  const { rules } = parsed.data;
  if (new Set(rules.map(({ name }) => name)).size < rules.length) return problem('is damaged');
  return { rules };
}

type Saving = Pick<Brain, 'state' | 'writer'>;

/**
 * Replaces the rules by what `change` makes of the present ones, durably; null leaves them. No other change of the vault runs
 * meanwhile; where another server changes the rules in between, `change` is called again. A file that cannot be used is kept beside the new one. `saved` is called before the next change begins.
 */
export function saveRules(
  { state, writer }: Saving,
  change: (rules: readonly Rule[]) => readonly Rule[] | null,
  saved?: () => void,
): Promise<void> {
  return writer.run(async () => {
    for (let isSaved = false; !isSaved;) {
      const text = await state.read(FILE);
      const { rules, problem } = rulesIn(text);
      const changed = change(rules);
      if (changed === null) return;
      if (text !== null && problem !== undefined)
        await state.write(`rules.${sha256(text).slice(0, 8)}.json`, text);
      const sorted = [...changed].sort((a, b) => compareText(a.name, b.name));
      const next = `${JSON.stringify({ v: 1, rules: sorted }, null, 2)}\n`;
      isSaved = (await state.replace?.(FILE, next, text)) ?? (await state.write(FILE, next).then(() => true));
    }
    saved?.();
  });
}

/**
 * Saves what a person decided about the rules. A promotion by a rule that has not begun by then is called off, so that none
 * follows the answer.
 */
export function decideRules(
  brain: Saving & Pick<Brain, 'rulesChanged'>,
  change: (rules: readonly Rule[]) => readonly Rule[],
): Promise<void> {
  return saveRules(brain, change, () => {
    for (const listener of brain.rulesChanged) listener();
  });
}

/** What a rule does: the notes that it is about and how many. */
export type Definition = Pick<Rule, 'name' | 'by' | 'wing' | 'hall' | 'per_day'>;

/** Returns a hash that stands for what a rule does: a dry run returns it, and switching the rule on requires it. */
export function triedHash({ name, by, wing, hall, per_day: perDay }: Definition): Sha {
  return sha256(JSON.stringify(['rule', name, by, wing ?? null, hall ?? null, perDay]));
}
