import * as z from 'zod';
import { RESERVED_TOKEN_NAMES } from '../access/token-name';

/**
 * The actions with which a program can fix a failed check. A screen offers one when its host can do it, and always shows the
 * sentence of the fix. A new action needs a button in `ui/doctor/remedy.tsx`.
 */
export const CHECK_ACTIONS = [
  'restart-server',
  'make-folders',
  'rebuild-index',
  'try-texts-again',
  'read-attachments',
  'leave-attachments',
  'mend-links',
  'open-settings',
  'open-connect',
  'open-audit',
] as const;

export const checkShape = z.object({
  name: z.string().describe('What was looked at; stable'),
  state: z.enum(['ok', 'warning', 'failed']),
  message: z.string().describe('What was found'),
  fix: z.string().optional().describe('What to do about it'),
  action: z.enum(CHECK_ACTIONS).optional().describe('What a program can offer to do about it'),
  command: z.string().optional().describe('A command that does it, for a terminal'),
});

/** The result of one check of the doctor: the checked part, its state, and the fix. */
export type Check = z.input<typeof checkShape>;

/** The names that one sentence lists. */
const MAX_NAMED = 5;

/** Joins the first names of a list for a sentence, and tells how many more there are. */
export function someOf(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${names.length - MAX_NAMED} more` : named;
}

/** Makes the check of conflict copies, which sync programs leave beside notes; `paths` are all of them. */
export function conflictCheck(paths: readonly string[]): Check {
  const name = 'conflict copies';
  if (paths.length === 0) return { name, state: 'ok', message: 'No sync program has left a conflict copy.' };
  return {
    name,
    state: 'warning',
    message: `A sync program has left ${paths.length === 1 ? 'a conflict copy' : `${paths.length} conflict copies`}, which are not read: ${someOf(paths)}.`,
    fix: 'Compare each with its note, keep what is right, and delete the copy.',
  };
}

/** Warns of tokens whose names are reserved now but were free when people chose them; `names` are those of all tokens. */
export function tokenNameChecks(names: readonly string[]): Check[] {
  const taken = names.filter((name) => RESERVED_TOKEN_NAMES.includes(name));
  if (taken.length === 0) return [];
  return [
    {
      name: 'token names',
      state: 'warning',
      message: `The service stamps its own acts with the name of a token: ${taken.join(', ')}. The token works, but nobody can tell the two apart.`,
      fix: 'Make a token with another name for its client, then revoke this one.',
    },
  ];
}

/**
 * Warns of the token of a person whose name is `humanName`, that of the person of this server: the stamps of both are equal.
 * `tokens` are all of them.
 */
export function personNameChecks(
  tokens: readonly { readonly name: string; readonly human?: boolean }[],
  humanName: string,
): Check[] {
  if (!tokens.some(({ name, human }) => human === true && name === humanName)) return [];
  return [
    {
      name: 'names of persons',
      state: 'warning',
      message: `The token "${humanName}" of a person signs as "human:${humanName}", as the owner does on the web page of this server. Nobody can tell whose decisions these are.`,
      fix: 'Make a token with another name for that person, then revoke this one.',
    },
  ];
}
