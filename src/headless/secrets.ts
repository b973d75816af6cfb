import type { Environment } from '../adapters/node/config-folder';
import { LOG_LEVELS, type LogLevel } from '../adapters/node/json-log';
import { ConfigError } from '../core/config';
import { givenTokenFault } from '../doors/auth';
import { UsageError } from './io';
import { isSendable, UNSENDABLE } from './sent-token';

/** Variables that hold credentials. */
const SECRETS = ['BRAIN_TOKEN', 'BRAIN_PG_DSN', 'CONVERTER_BEARER_TOKEN', 'BRAIN_LLM_KEY'];

/**
 * A copy of the environment; the credentials are then taken out of the original, so that child processes and whoever
 * reads this process's environment do not find them.
 */
export function takeEnvironment(env: Record<string, string | undefined>): Environment {
  const copy = { ...env };
  for (const name of SECRETS) delete env[name];
  return copy;
}

/**
 * The owner's token for this run, if the environment gives one: as clients send it, without the blanks and the line feed that
 * the file it came from ended with.
 * @throws UsageError when it is too short, ConfigError when no client could send it.
 */
export function ownerTokenOf(env: Environment): string | undefined {
  if (env.BRAIN_TOKEN === undefined || env.BRAIN_TOKEN === '') return undefined;
  const token = env.BRAIN_TOKEN.trim();
  const fault = givenTokenFault(token);
  if (fault !== null) throw new UsageError(fault);
  if (!isSendable(token)) throw new ConfigError(UNSENDABLE);
  return token;
}

/** Every credential of the environment, and the password inside the address of a database, for the log to hide. */
export function secretsIn(env: Environment): string[] {
  const given = SECRETS.flatMap((name) => [env[name] || [], env[name]?.trim() || []].flat());
  return given.flatMap((secret) => {
    const password = /:\/\/[^/]*?:([^/]*)@/.exec(secret)?.[1] ?? '';
    return [secret, password, decoded(password)].filter(Boolean);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * How much is logged.
 * @throws ConfigError when `BRAIN_LOG_LEVEL` names no level.
 */
export function logLevelOf(env: Environment): LogLevel {
  const given = env.BRAIN_LOG_LEVEL || 'info';
  const level = LOG_LEVELS.find((known) => known === given);
  if (level === undefined) {
    throw new ConfigError(`BRAIN_LOG_LEVEL is "${given}". Use one of: ${LOG_LEVELS.join(', ')}.`);
  }
  return level;
}
