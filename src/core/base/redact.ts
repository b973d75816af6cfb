/** Host and port of a web address, without a name and password before them. */
const HOST = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** Where what is sent to the address goes, as a person may read it: never what is secret in an address. */
export function hostOf(url: string): string {
  return HOST.exec(url)?.[1] ?? '';
}

/** True when what is sent to the address can be read on its way through a network. */
export function crossesOpenly(url: string): boolean {
  return !LOOPBACK.test(hostOf(url)) && !/^https:/i.test(url);
}

/** What stands in the place of a credential. */
const HIDDEN = '[redacted]';

/** A token of ours, 32 random bytes in base64url: 43 characters of both cases, which no name or path of ours has. */
const OWN_TOKEN = /(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g;

/** Names that settings, forms and addresses give to a credential, perhaps behind something else (`access_token`). */
const NAMES = 'password|passwd|token|secret|api[_-]?key';

/** Credentials as people and programs write them: in a header, in a setting, in JSON, in an address, or by how they begin. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [OWN_TOKEN, HIDDEN],
  [/(?<=\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?:\w+\s+)?[^\s"'\\]+/gi, HIDDEN],
  [/\b(Bearer|Basic)\s+[^\s"']{16,}/gi, `$1 ${HIDDEN}`],
  // A shorter one may be the next word of a sentence, unless it has a digit, a sign or a capital within.
  [/\b([Bb]earer|[Bb]asic)\s+(?=[^\s"']{0,15}(?:\d|[a-z][A-Z]|[_=+/]))[^\s"']{6,}/g, `$1 ${HIDDEN}`],
  [new RegExp(`(?<=${NAMES})=[^\\s&;,"']+`, 'gi'), `=${HIDDEN}`],
  [new RegExp(`(?<=(?:${NAMES})\\\\?["']\\s{0,4}:\\s{0,4}\\\\?["'])[^"'\\\\]+`, 'gi'), HIDDEN],
  [/:\/\/[^\s/]*@/g, `://${HIDDEN}@`],
  // Keys of well-known services, signed tokens (RFC 7519).
  [/\bsk-(?=[\w-]{0,99}[A-Z])(?=[\w-]{0,99}\d)[\w-]{20,}/g, HIDDEN],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[\w-]{16,}/g, HIDDEN],
  [/\bAKIA[0-9A-Z]{16}\b/g, HIDDEN],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g, HIDDEN],
];

const SECRET_FIELD = /token|passw(?:or)?d|secret|authorization|api[_-]?key|cookie/i;

/** The text without what looks like a credential: an agent may put one anywhere, and the log travels with the vault. */
export function hideSecrets(text: string): string {
  return PATTERNS.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/** True for the name of a field that is there to hold a credential. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}
