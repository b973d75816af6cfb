import type { Progress } from '../../core/progress';
import { isRecord } from '../../core/rules/record';
import type { Asked } from './exchange';

/**
 * What tells a client how far its call is; undefined when it has not asked for that with a token. The protocol wants every
 * number to be larger than the one before it, so anything else is not sent.
 */
export function progressTo(
  params: unknown,
  notify: Asked['notify'],
): ((progress: Progress) => void) | undefined {
  const progressToken = tokenOf(params);
  if (progressToken === undefined) return undefined;
  let sent = -1;
  return ({ done, total }) => {
    if (done <= sent) return;
    sent = done;
    const params = { progressToken, progress: done, ...(total > 0 && { total }) };
    // A client that is gone is noticed by its connection.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

function tokenOf(params: unknown): string | number | undefined {
  if (!isRecord(params) || !isRecord(params._meta)) return undefined;
  const { progressToken } = params._meta;
  return typeof progressToken === 'string' || typeof progressToken === 'number' ? progressToken : undefined;
}
