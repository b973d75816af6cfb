import { isHall } from '../../core/rules/hall';
import type { ScreenParams } from '../screens';
import type { Asked } from './use-search';

/** What the parameters of the screen ask; whatever they cannot mean is left out. */
export function askedOf({ q, wing, hall, raw }: ScreenParams): Asked {
  return {
    query: q ?? '',
    wing: wing === undefined || wing === '' ? null : wing,
    hall: isHall(hall) ? hall : null,
    raw: raw === 'yes',
  };
}

/** The same as parameters, so that a link or a reload shows it again. */
export function paramsOf({ query, wing, hall, raw }: Asked): ScreenParams {
  return {
    ...(query.trim() !== '' && { q: query.trim() }),
    ...(wing !== null && { wing }),
    ...(hall !== null && { hall }),
    ...(raw && { raw: 'yes' }),
  };
}
