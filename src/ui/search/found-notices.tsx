import { useUi } from '../context';
import { whyDegraded } from '../home/search-words';
import { Notice } from '../parts/notice';
import { useCall } from '../parts/use-async';
import { count } from '../parts/words';
import type { Found } from './use-search';

/** What a person should know of a search beside its results: that it was less than it could be, or may find more later. */
export function FoundNotices({ found }: { readonly found: Found }) {
  const { degraded, reading, mode, here } = found;
  const byMeaning =
    mode === 'hybrid' && here.length > 0 && here.every(({ ranks }) => ranks?.bm25 === undefined);
  return (
    <>
      {reading !== undefined && (
        <Notice>
          The vault is still being read: {count(reading.done)} of {count(reading.total)} notes. The others are
          not found yet.
        </Notice>
      )}
      {degraded && <Degraded />}
      {byMeaning && (
        <Notice icon="info">No note holds these words. These come nearest by their meaning.</Notice>
      )}
    </>
  );
}

function Degraded() {
  const { host } = useUi();
  // Whoever may not ask for the state of the service is told without the reason.
  const { value } = useCall('status', {});
  return (
    <Notice tone="amber">
      Hybrid is configured but was not used. {value !== null && <>{whyDegraded(value.hybrid)} </>}
      Results are by BM25 alone.{' '}
      <button type="button" class="brain-plain" onClick={() => host.go('doctor')}>
        Doctor
      </button>
    </Notice>
  );
}
