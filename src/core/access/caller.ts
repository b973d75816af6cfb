import { hideSecrets } from '../base/redact';

/** The permissions of a credential. `write` includes `propose`; none includes `review` or `admin`. */
export const SCOPES = ['read', 'propose', 'write', 'review', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** The door of a call, which notes carry as `origin`. */
export const ORIGINS = ['mcp', 'http', 'watcher', 'obsidian', 'web'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The verified caller of an operation. The door makes it from the credential, never from the call's arguments. */
export interface Caller {
  readonly origin: Origin;
  /** The name of the verified token; `local` without authentication; the person's name when `human`. */
  readonly name: string;
  /** True for a person: in Obsidian, or with the page token. */
  readonly human: boolean;
  readonly scopes: ReadonlySet<Scope>;
  /** The client's own name and version (`claude-code 2.1.300`), an unverified claim, cleaned by `cleanClient`. */
  readonly client?: string;
}

/** Returns true when the caller has the scope, or a scope that includes it. */
export function allows(caller: Caller, scope: Scope): boolean {
  return caller.scopes.has(scope) || (scope === 'propose' && caller.scopes.has('write'));
}

const MAX_CLIENT = 48;

/**
 * Cleans a client's own name and version to `name version`, at most 48 characters that are safe in front matter and in a log
 * line. Credentials are removed: a client may send its token as its name, and notes carry the name. Returns undefined when
 * nothing usable is left.
 */
export function cleanClient(name: unknown, version?: unknown): string | undefined {
  if (typeof name !== 'string') return undefined;
  const claim =
    typeof version === 'string' ? `${name.slice(0, 500)} ${version.slice(0, 500)}` : name.slice(0, 500);
  const cut = usable(hideSecrets(claim)).slice(0, MAX_CLIENT).trim();
  // The removed characters may have separated the letters of a credential, so it is redacted again.
  const clean = usable(hideSecrets(cut));
  return clean === '' ? undefined : clean;
}

function usable(claim: string): string {
  return claim.replace(/[^A-Za-z0-9 ._/+-]/g, '').trim();
}
