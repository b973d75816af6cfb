import { readFileSync } from 'node:fs';
import { SETTINGS } from '../../core/config/settings';
import { unreadable, UsageError } from './io';

/** The variables that hold credentials. */
export const SECRETS: readonly string[] = [
  'BRAIN_TOKEN',
  'BRAIN_STORE',
  ...Object.values(SETTINGS).flatMap(({ secretId, env }) => (secretId && env ? [env[0]] : [])),
];

/**
 * Fills in each variable of a credential from the file that the same name with `_FILE` behind it names, as containers hand over
 * secrets; without the line break at its end.
 * @throws UsageError when both are set, CommandError when the file cannot be read
 */
export function fillFromFiles(env: Record<string, string | undefined>): void {
  for (const name of SECRETS) {
    const file = env[`${name}_FILE`] ?? '';
    if (file === '') continue;
    if ((env[name] ?? '') !== '') throw new UsageError(`${name} and ${name}_FILE are both set. Unset one.`);
    try {
      env[name] = readFileSync(file, 'utf8').trim();
      delete env[`${name}_FILE`]; // A program that is started with this environment has the variable alone.
    } catch (error) {
      throw unreadable(`${file} (${name}_FILE)`, error);
    }
  }
}

/** A password before the @ or among the parameters of a database's address, however badly it is written. */
const PASSWORD = /^\w+:\/\/[^/?#@:]*:(?!\d{1,5}[/?#])[^@]+@|\bpassword\s*=/i;

/**
 * Reads the flag `--store`.
 * @throws UsageError for an empty address, and for one with a password, which every user of the machine can read in the list of
 * processes
 */
export function storeFlag(address: string): string {
  if (address === '')
    throw new UsageError('The address in --store is empty. Name the database, or leave it out.');
  if (PASSWORD.test(address) || PASSWORD.test(decoded(address)))
    throw inArguments('--store', 'BRAIN_STORE', STORE_WAYS);
  return address;
}

const STORE_WAYS = ', or leave the password out of it: it is then taken from PGPASSWORD or ~/.pgpass';

/**
 * Returns the error for a credential in an argument.
 * @param variable the variable for the same, which only this user can read
 */
export function inArguments(flag: string, variable: string, otherWays = ''): UsageError {
  return new UsageError(
    `The address in ${flag} has a credential in it, which other users of this machine can read in the list of processes. Give the address in ${variable}, or in a file that ${variable}_FILE names${otherWays}. It was to be seen just now: change it if the machine has other users.`,
  );
}

/** Returns a text with its percent signs decoded; the text itself where they stand for no UTF-8. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
