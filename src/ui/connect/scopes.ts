import { tokenNameFault } from '../../core/rules/token-name';

/** What a token may be allowed, in the words of this screen. */
export const SCOPES = [
  { scope: 'read', title: 'Read', help: 'Search, read notes and their history.' },
  { scope: 'write', title: 'Write', help: 'Add notes, change them, fill the queue.' },
  { scope: 'propose', title: 'Propose', help: 'Whatever it writes goes to the review queue first.' },
  { scope: 'review', title: 'Review', help: 'Promote and reject. Usually left to people.' },
  { scope: 'admin', title: 'Admin', help: 'Change AGENTS.md, which steers every agent; read the audit log.' },
] as const;

export type ScopeName = (typeof SCOPES)[number]['scope'];

/** What a new token gets unless the person decides otherwise. */
export const USUAL_SCOPES: readonly ScopeName[] = ['read', 'write'];

/**
 * The scopes after one of them was ticked or unticked. Writing and proposing exclude each other: one is the other, but more.
 */
export function withScope(
  scopes: readonly ScopeName[],
  scope: ScopeName,
  ticked: boolean,
): readonly ScopeName[] {
  const other = scope === 'write' ? 'propose' : scope === 'propose' ? 'write' : null;
  return SCOPES.map((one) => one.scope).filter((one) =>
    one === scope ? ticked : scopes.includes(one) && !(ticked && one === other),
  );
}

/**
 * The command that makes a token where only the command line may; null for a name that no token can have, which a shell might
 * take for something else, and for a token that could do nothing.
 */
export function tokenCommand(name: string, scopes: readonly ScopeName[]): string | null {
  if (tokenNameFault(name) !== null || scopes.length === 0) return null;
  const isUsual = scopes.join() === USUAL_SCOPES.join();
  return `brain token add ${name}${isUsual ? '' : ` --scopes ${scopes.join(',')}`}`;
}
