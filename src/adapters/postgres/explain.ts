const UNTRUSTED =
  'shows a certificate that this machine does not trust. Name the certificate of its authority with sslrootcert in BRAIN_PG_DSN, or use sslmode=no-verify where the way to it is safe.';

/** What the codes of Postgres and of the system mean for the owner; nothing that the driver says is passed on. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections. See that it runs.',
  ENOTFOUND: 'cannot be found. See that the name of the host is right.',
  EAI_AGAIN: 'cannot be found now. See that this machine is online.',
  ETIMEDOUT: 'does not answer. See that it runs and that nothing stands between.',
  EHOSTUNREACH:
    'cannot be reached from this machine. See that the address is right and that both are online.',
  ENETUNREACH: 'cannot be reached from this machine. See that the address is right and that both are online.',
  ENOENT:
    'has no socket there, or a file that sslrootcert, sslcert or sslkey names is gone. See that it runs and where its socket is.',
  EACCES: 'has a socket that this user may not use.',
  ECONNRESET: 'has ended the connection. It is tried again.',
  EPIPE: 'has ended the connection. It is tried again.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'shows a certificate for another name. Use a name that stands in the certificate in BRAIN_PG_DSN.',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired. Renew it there.',
  CERT_NOT_YET_VALID: 'shows a certificate that is not valid yet. See that both clocks are right.',
  '28P01': 'does not take the user and password of BRAIN_PG_DSN.',
  '28000':
    'does not let this user in: either there is no such user who may log in, or its pg_hba.conf has no line for this user, database and machine, perhaps because that asks for TLS (sslmode in BRAIN_PG_DSN) or for the user of the system.',
  '3D000': 'does not have the database that BRAIN_PG_DSN names. Make it there, or correct the name.',
  '25006':
    'can only be read, as a standby. Searches go on there; to make and change vectors, give the address of the primary.',
  '42501':
    'does not let this user do that. To search it needs SELECT on the table and USAGE on its schema, to embed notes also INSERT, UPDATE and DELETE. To make the table it needs CREATE on the schema, and to take over the vectors of another model it has to own the table.',
  '42P01': 'has lost its table. It is made again.',
  '53100': 'has no room left on its disk.',
  '53300': 'has too many connections.',
  '57014': 'took too long.',
  '57P01': 'is shutting down.',
  '57P03': 'is starting up.',
};

/** The driver gives these no code. */
const WITHOUT_CODE: readonly (readonly [said: RegExp, meaning: string])[] = [
  [
    /does not support SSL/i,
    'does not speak TLS, which sslmode in BRAIN_PG_DSN asks for. Switch it on there, or use sslmode=disable where the way to it is safe.',
  ],
  [/password must be a/i, 'asks for a password, and BRAIN_PG_DSN has none.'],
  [/timeout|terminated/i, MEANINGS.ETIMEDOUT ?? ''],
];

/** What went wrong with the database, as a sentence that is safe to show. */
export function explain(error: unknown, place: string): string {
  const code = codeOf(error);
  const said = error instanceof Error ? error.message : '';
  const meaning =
    MEANINGS[code] ??
    (/^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|EPROTO|UNABLE_TO)/.test(code)
      ? `cannot be talked to over TLS (${code}). See that its certificate and sslmode, sslrootcert, sslcert and sslkey in BRAIN_PG_DSN fit.`
      : WITHOUT_CODE.find(([words]) => words.test(said))?.[1]) ??
    `cannot be used (${code === '' ? 'no code' : code}). Its own log says why.`;
  return `The database at ${place} ${meaning}`;
}

/** True when the database does not let this user in: a wrong name or password, or too many connections. */
export function isRefusal(error: unknown): boolean {
  return ['28P01', '28000', '53300'].includes(codeOf(error));
}

/** True when the table was taken away after it had been seen. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

/** True when others keep the table for now, or this user may not do that to it. */
export function isInTheWay(error: unknown): boolean {
  return ['55P03', '42501'].includes(codeOf(error));
}

/** True when this user, or this server, may only read: no right to make something, or a standby. */
export function isReadOnly(error: unknown): boolean {
  return ['42501', '25006'].includes(codeOf(error));
}

export function codeOf(error: unknown): string {
  // Several addresses were tried, each with its own error.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}
