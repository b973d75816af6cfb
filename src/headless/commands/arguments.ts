import { InvalidArgumentError } from 'commander';
import { isScope } from '../../adapters/node/token-contents';
import { type Scope, SCOPES } from '../../core/caller';

/** A whole number of an option. @throws InvalidArgumentError, which ends the program as wrong usage. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** Scopes of an option, separated by commas. @throws InvalidArgumentError when one is unknown. */
export function scopeList(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  const scopes = names.filter(isScope);
  if (scopes.length < names.length) throw new InvalidArgumentError(`Scopes are ${SCOPES.join(', ')}.`);
  return [...new Set(scopes)];
}
