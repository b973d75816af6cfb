/** What the codes of Postgres and of the system mean for the owner; nothing that the driver says is passed on. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections. See that it runs.',
  ENOTFOUND: 'cannot be found. See that the name of the host is right.',
  EAI_AGAIN: 'cannot be found now. See that this machine is online.',
  ETIMEDOUT: 'does not answer. See that it runs and that nothing stands between.',
  ECONNRESET: 'has ended the connection. It is tried again.',
  EPIPE: 'has ended the connection. It is tried again.',
  '28P01': 'does not take the user and password of BRAIN_PG_DSN.',
  '28000': 'does not take the user of BRAIN_PG_DSN.',
  '3D000': 'does not have the database that BRAIN_PG_DSN names.',
  '42501': 'does not let this user do that. Give it the right to make and change tables in the schema.',
  '42P01': 'has lost its table. It is made again.',
  '53100': 'has no room left on its disk.',
  '53300': 'has too many connections.',
  '57014': 'took too long.',
  '57P01': 'is shutting down.',
  '57P03': 'is starting up.',
};

/** What went wrong with the database, as a sentence that is safe to show. */
export function explain(error: unknown, place: string): string {
  const code = codeOf(error);
  const meaning =
    MEANINGS[code] ??
    (isSilence(error)
      ? MEANINGS.ETIMEDOUT
      : `cannot be used (${code === '' ? 'no code' : code}). Its own log says why.`);
  return `The database at ${place} ${meaning ?? ''}`;
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

function codeOf(error: unknown): string {
  // Several addresses were tried, each with its own error.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** The driver gives its own time-outs no code. */
function isSilence(error: unknown): boolean {
  return error instanceof Error && /timeout|terminated/i.test(error.message);
}
