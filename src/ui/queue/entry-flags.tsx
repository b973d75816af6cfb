import { Flag } from '../parts/flag';
import type { IconName } from '../parts/icons';
import { counted } from '../parts/words';
import type { Entry } from './entry';
import { madeWords } from './made-words';

const MADE: Readonly<Record<NonNullable<Entry['extraction']>, readonly [icon: IconName, words: string]>> = {
  llm: ['scan-text', 'Extracted'],
  passthrough: ['file-text', 'Passed through'],
  structured: ['files', 'Given as a page'],
};

/** What a reviewer ought to know of a note at a glance: what asks for attention first, then how the page was made. */
export function EntryFlags({ entry }: { readonly entry: Entry }) {
  const { warnings, rejected_before: before, unverified, extraction, stale } = entry;
  const made = extraction === undefined ? null : MADE[extraction];
  return (
    <>
      {before && (
        <Flag icon="ban" tone="amber" title="A note with the same text was rejected.">
          Rejected before
        </Flag>
      )}
      {unverified && (
        <Flag
          icon="circle-alert"
          tone="amber"
          title="None of the quotes that were to bear it out stands in its source."
        >
          No quote found
        </Flag>
      )}
      {stale && (
        <Flag icon="hourglass" tone="amber" title="Past its half-life: check it before you promote it.">
          Stale
        </Flag>
      )}
      {warnings.length > 0 && (
        <Flag icon="circle-alert" tone="amber" title={warnings.join('\n')}>
          {counted(warnings.length, 'warning')}
        </Flag>
      )}
      {made !== null && (
        <Flag icon={made[0]} title={`Made ${madeWords(entry)}.`}>
          {made[1]}
        </Flag>
      )}
    </>
  );
}
