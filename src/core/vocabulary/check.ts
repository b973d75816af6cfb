import * as z from 'zod';
import { RESERVED_TOKEN_NAMES } from '../access/token-name';

/**
 * What a program can do about a check by itself. A screen offers it where its host can, and shows the sentence of the fix in
 * any case: a new word here asks for its button in `ui/doctor/remedy.tsx`.
 */
export const CHECK_ACTIONS = [
  'restart-server',
  'make-folders',
  'rebuild-index',
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

/** One part of the service that was looked at, how it is, and what its owner can do when it is not well. */
export type Check = z.input<typeof checkShape>;

/** Names listed in one sentence. */
const MAX_NAMED = 5;

/** Some of many names, for a message: the first few and how many more there are. */
export function someOf(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${names.length - MAX_NAMED} more` : named;
}

/** What to say of the conflict copies that a sync program has left beside the notes; `paths` are all that stand there. */
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

/** A warning when tokens were given names, before those were taken, that the service stamps itself; `names` are those that people chose. */
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
