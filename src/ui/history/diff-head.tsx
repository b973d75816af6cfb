import { day, moment } from '../parts/words';
import { Writer } from '../parts/writer';
import type { Compared } from './use-history';
import type { WholeVersion } from './versions';

/** Above the two sides: when each was written, by whom, and its hash. */
export function DiffHead({ compared }: { readonly compared: Compared }) {
  const { older, newer } = compared;
  // Two versions of one day are told apart by their time.
  const words = older?.updated_at !== undefined && isSameDay(older, newer) ? moment : day;
  return (
    <div class="brain-diff-head">
      <Side version={older} words={words} />
      <Side version={newer} words={words} />
    </div>
  );
}

function isSameDay(older: WholeVersion, newer: WholeVersion | null): boolean {
  return day(older.updated_at ?? '') === day(newer?.updated_at ?? '');
}

function Side(props: { readonly version: WholeVersion | null; readonly words: (time: string) => string }) {
  const { version, words } = props;
  if (version === null) {
    return (
      <div>
        <span class="brain-muted">Nothing before</span>
      </div>
    );
  }
  return (
    <div>
      <b class="brain-strong">{version.updated_at === undefined ? 'No time' : words(version.updated_at)}</b>
      <Writer origin={version.origin} writtenBy={version.written_by} />
      <span class="brain-push brain-mono brain-muted brain-wide-only" title={`Content hash ${version.hash}`}>
        {version.hash.slice(0, 8)}
      </span>
    </div>
  );
}
