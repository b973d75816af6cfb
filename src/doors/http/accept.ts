import { BrainError } from '../../core/base/errors';

/**
 * Returns the weight that an `Accept` header (RFC 9110, section 12.5.1) gives a media type; null where no range of it matches.
 * Case does not matter, the most specific range decides, and a weight of 0 refuses.
 */
export function weightIn(header: string, type: string): number | null {
  const ranges = header
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .map(([name = '', ...parameters]) => ({ name, weight: weightOf(parameters) }));
  for (const wanted of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const weights = ranges.filter(({ name }) => name === wanted).map(({ weight }) => weight);
    if (weights.length > 0) return Math.max(...weights);
  }
  return null;
}

/** An invalid weight counts as none, which is 1. */
function weightOf(parameters: readonly string[]): number {
  const [given] = parameters.filter((parameter) => /^q\s*=/.test(parameter));
  const weight = given?.slice(given.indexOf('=') + 1).trim() ?? '';
  return /^[01](?:\.\d*)?$/.test(weight) ? Number(weight) : 1;
}

/**
 * Refuses a request whose `Accept` refuses the only type that its route answers with. A header that does not name the type is
 * no refusal: many programs send one without thinking of it.
 * @throws BrainError `not_acceptable`
 */
export function refuseUnacceptable(header: string | undefined, type = 'application/json'): void {
  if (header === undefined || weightIn(header, type) !== 0) return;
  throw new BrainError(
    'not_acceptable',
    `The answer is ${type}, which the Accept header refuses with q=0. Accept it, or leave the header out.`,
  );
}
