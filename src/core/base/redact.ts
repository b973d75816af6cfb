/** Host and port of a web address, without a name and password before them. */
const HOST = /^https?:\/\/(?:[^/?#\\]*@)?([^/?#\\]+)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** Returns the host and port of a web address for a person to read, without its credentials; '' for any other text. */
export function hostOf(url: string): string {
  return HOST.exec(url)?.[1] ?? '';
}

/** Returns true for the address of a program on this machine: nothing that is sent there leaves it. */
export function staysHere(url: string): boolean {
  return LOOPBACK.test(hostOf(url));
}

/** Returns true when a request to the address crosses a network unencrypted. */
export function crossesOpenly(url: string): boolean {
  return !staysHere(url) && !/^https:/i.test(url);
}

/**
 * Returns true when a key may be sent to an address: it stays on this machine, is encrypted, or crosses a network that the owner
 * has named as safe.
 * @param plainHosts hosts with or without a port, as in `BRAIN_PLAIN_HOSTS`
 */
export function mayCarryKey(url: string, plainHosts: readonly string[]): boolean {
  const host = hostOf(url).toLowerCase();
  const name = host.replace(/:\d+$/, '');
  return !crossesOpenly(url) || plainHosts.some((plain) => [host, name].includes(plain.toLowerCase()));
}

/** Returns true when an address has a name, a password or a query in it, which may be a key. */
export function holdsKey(url: string): boolean {
  return /^https?:\/\/(?:[^/?#\\]*@|[^?#]*\?)/i.test(url);
}

/** The way to have a key sent, as the end of a sentence about the service at `host`. */
export function keyAdvice(host: string): string {
  return `give it an address that begins with https://, or name ${host} in BRAIN_PLAIN_HOSTS if that network is safe`;
}

/** The replacement for a credential. */
const HIDDEN = '[redacted]';

/** A token of this service: 32 random bytes in base64url, 43 characters of both cases. No name or path of ours looks so. */
const OWN_TOKEN = /(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g;

/** Names of credentials in settings, forms and addresses, also as the end of a longer name (`access_token`). */
const NAMES = 'password|passwd|token|secret|api[_-]?key';

/** Credentials in headers, settings, JSON and addresses, and those that are known by their prefix; with the replacements. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [OWN_TOKEN, HIDDEN],
  [/(?<=\bauthorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?:\w+\s+)?[^\s"'\\]+/gi, HIDDEN],
  [/\b(Bearer|Basic)\s+[^\s"']{16,}/gi, `$1 ${HIDDEN}`],
  // A shorter one may be a word of a sentence, unless it has a digit, a sign or an inner capital.
  [/\b([Bb]earer|[Bb]asic)\s+(?=[^\s"']{0,15}(?:\d|[a-z][A-Z]|[_=+/]))[^\s"']{6,}/g, `$1 ${HIDDEN}`],
  [new RegExp(`(?<=${NAMES})=[^\\s&;,"']+`, 'gi'), `=${HIDDEN}`],
  [new RegExp(`(?<=(?:${NAMES})\\\\?["']\\s{0,4}:\\s{0,4}\\\\?["'])[^"'\\\\]+`, 'gi'), HIDDEN],
  [/:\/\/[^\s/]*@/g, `://${HIDDEN}@`],
  // Keys of well-known services, and JSON Web Tokens (RFC 7519).
  [/\bsk-(?=[\w-]{0,99}[A-Z])(?=[\w-]{0,99}\d)[\w-]{20,}/g, HIDDEN],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[\w-]{16,}/g, HIDDEN],
  [/\bAKIA[0-9A-Z]{16}\b/g, HIDDEN],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g, HIDDEN],
];

const SECRET_FIELD = /token|passw(?:or)?d|secret|authorization|api[_-]?key|cookie/i;

/** Redacts everything that looks like a credential. An agent may send one anywhere, and the log is synced with the vault. */
export function hideSecrets(text: string): string {
  return PATTERNS.reduce((left, [pattern, replacement]) => left.replace(pattern, replacement), text);
}

/** Returns true for the name of a field that holds a credential. */
export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}
