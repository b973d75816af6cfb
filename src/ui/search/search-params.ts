import { isHall } from '../../core/rules/hall';
import type { ScreenParams } from '../screens';
import type { Status } from './facets';
import type { Asked, SourceType } from './use-search';

/** What the parameters of the screen ask; whatever they cannot mean is left out. */
export function askedOf({ q, wing, hall, raw, writer, status, source, fresh }: ScreenParams): Asked {
  return {
    query: q ?? '',
    wing: wing === undefined || wing === '' ? null : wing,
    hall: isHall(hall) ? hall : null,
    raw: raw === 'yes',
    writer: writer === undefined || writer === '' ? null : writer,
    status: isStatus(status) ? status : null,
    source: isSource(source) ? source : null,
    fresh: fresh === 'yes',
  };
}

/** The same as parameters, so that a link or a reload shows it again. */
export function paramsOf({ query, wing, hall, raw, writer, status, source, fresh }: Asked): ScreenParams {
  return {
    ...(query.trim() !== '' && { q: query.trim() }),
    ...(wing !== null && { wing }),
    ...(hall !== null && { hall }),
    ...(raw && { raw: 'yes' }),
    ...(writer !== null && { writer }),
    ...(status !== null && { status }),
    ...(source !== null && { source }),
    ...(fresh && { fresh: 'yes' }),
  };
}

function isStatus(text: string | undefined): text is Status {
  return text === 'wiki' || text === 'knowledge' || text === 'raw';
}

function isSource(text: string | undefined): text is SourceType {
  return text === 'internal' || text === 'external';
}
