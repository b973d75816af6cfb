import type { Answer } from '../client';
import { useUi } from '../context';
import { ScreenLink } from '../parts/screen-link';
import { count, counted } from '../parts/words';
import type { ScreenName } from '../screens';
import { parseWriter } from '../parts/writer-name';

type Overview = Answer<'overview'>;

/** The four numbers that tell at a glance how the brain is; each leads to where its notes are. */
export function Figures({ overview }: { readonly overview: Overview }) {
  const { host } = useUi();
  const { notes, added, queue, stale, writes } = overview;
  return (
    <div class="brain-figures">
      <Figure screen="search" title="Notes" number={notes} words={`${count(added)} new in the last 7 days`} />
      <Figure
        screen="queue"
        title="Waiting for review"
        number={queue.count}
        words={oldestWords(queue.oldest_at, host.now())}
      />
      <Figure screen="search" title="Stale claims" number={stale} words="past their half-life" />
      <Figure screen="audit" title="Written this week" number={writes.notes} words={writerWords(writes)} />
    </div>
  );
}

function Figure(props: { screen: ScreenName; title: string; number: number; words: string }) {
  return (
    <ScreenLink screen={props.screen}>
      <span class="brain-small brain-muted">{props.title}</span>
      <span class="brain-figure">{count(props.number)}</span>
      <span class="brain-small brain-muted">{props.words}</span>
    </ScreenLink>
  );
}

/** How long the oldest note has been waiting. */
export function oldestWords(oldest: string | undefined, now: Date): string {
  if (oldest === undefined) return 'nothing waits';
  const days = Math.floor((now.getTime() - new Date(oldest).getTime()) / 86_400_000);
  return days < 1 ? 'oldest from today' : `oldest ${counted(days, 'day')}`;
}

/** Who wrote: agents by their number, people apart from them. */
export function writerWords({ writers, writer_count: all }: Overview['writes']): string {
  if (all === 0) return 'by nobody';
  // Of very many writers only the busiest are named, so the kinds of the rest are not known.
  if (all > writers.length) return `by ${count(all)} writers`;
  const names = (isPerson: boolean) =>
    new Set(
      writers
        .map(({ written_by }) => parseWriter(written_by))
        .filter(({ person }) => person === isPerson)
        .map(({ name }) => name),
    ).size;
  const parts = [
    ...(names(false) > 0 ? [counted(names(false), 'agent')] : []),
    ...(names(true) > 0 ? [counted(names(true), 'person', 'people')] : []),
  ];
  return `by ${parts.join(' and ')}`;
}
