/** What stands in the place of a credential. */
const HIDDEN = '[redacted]';

/** A token of ours, 32 random bytes in base64url: 43 characters of both cases, which no name or path of ours has. */
const OWN_TOKEN = /(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g;

/** Credentials as people and programs write them: in a header, in a setting, in an address. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [OWN_TOKEN, HIDDEN],
  [/\b(Bearer|Basic)\s+[^\s"']{16,}/gi, `$1 ${HIDDEN}`],
  [/\b(password|passwd|token|secret|api[_-]?key)=[^\s&;,"']+/gi, `$1=${HIDDEN}`],
  [/:\/\/[^\s/@]*@/g, `://${HIDDEN}@`],
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
