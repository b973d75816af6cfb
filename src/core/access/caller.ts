import { hideSecrets } from '../base/redact';

/** What a credential allows. `write` includes `propose`; nothing includes `review` or `admin`. */
export const SCOPES = ['read', 'propose', 'write', 'review', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The door a call came through; stamped as `origin` on what it writes. */
export const ORIGINS = ['mcp', 'http', 'watcher', 'obsidian', 'web'] as const;
export type Origin = (typeof ORIGINS)[number];

/** Who is calling, as the door has verified it. Nothing here is ever taken from the call's own arguments. */
export interface Caller {
  readonly origin: Origin;
  /** Name of the verified token; `local` when authentication is off; the person's name when `human`. */
  readonly name: string;
  /** True for acts of a person: in Obsidian, or with the page token. */
  readonly human: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** What the client says it is (`claude-code 2.1.300`). A claim, already cut and cleaned by `cleanClient`. */
  readonly client?: string;
}

/** True when the caller may do what needs `scope`. */
export function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || (scope === 'propose' && caller.scopes.has('write'));
}

const MAX_CLIENT = 48;

/**
 * What a client says of itself, as `name version` in at most 48 characters that can break neither front matter nor a
 * log line. One that has set its token for its name is not to have it in the notes that it writes. Undefined when nothing
 * usable is left.
 */
export function cleanClient(name: unknown, version?: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const claim =
    typeof version === 'string' ? `${name.slice(0, 500)} ${version.slice(0, 500)}` : name.slice(0, 500);
  const cut = usable(hideSecrets(claim)).slice(0, MAX_CLIENT).trim();
  // What was taken out may have been all that kept the letters of a credential apart.
  const clean = usable(hideSecrets(cut));
  return clean === '' ? undefined : clean;
}

function usable(claim: string): string {
  return claim.replace(/[^A-Za-z0-9 ._/+-]/g, '').trim();
}
