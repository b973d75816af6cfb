import type { RefObject } from 'preact';
import type { Answer } from '../client';
import { useUi } from '../context';
import { Flag } from '../parts/flag';
import { Icon } from '../parts/icon';
import { day } from '../parts/words';
import { Writer } from '../parts/writer';
import { placeOf } from '../search/result-row';

type Citation = Answer<'answer'>['citations'][number];

/** The quotes that bear an answer out, each with where it stands, who wrote that and when. */
export function QuoteList(props: {
  readonly listRef: RefObject<HTMLOListElement | null>;
  readonly citations: readonly Citation[];
  /** The `n` of the quotes that the person looks at now; null for none. */
  readonly current: number | null;
  readonly onCurrent: (n: number) => void;
  /** Goes back to the mark in the answer. */
  readonly onBack: (n: number) => void;
}) {
  const { listRef, citations, current, onCurrent, onBack } = props;
  return (
    <ol class="brain-quotes" aria-label="Quotes" ref={listRef}>
      {citations.map((citation, index) => (
        <Quote
          key={`${citation.n} ${citation.path} ${index}`}
          citation={citation}
          isCurrent={citation.n === current}
          onCurrent={() => onCurrent(citation.n)}
          onBack={() => onBack(citation.n)}
        />
      ))}
    </ol>
  );
}

function Quote(props: {
  readonly citation: Citation;
  readonly isCurrent: boolean;
  readonly onCurrent: () => void;
  readonly onBack: () => void;
}) {
  const { citation, isCurrent, onCurrent, onBack } = props;
  const { n, path, title, quote, stale } = citation;
  const { host } = useUi();
  const open = (newPane: boolean): void => host.openNote(path, { newPane, quote });
  return (
    <li
      class={isCurrent ? 'brain-card brain-quote is-current' : 'brain-card brain-quote'}
      data-quote={n}
      aria-current={isCurrent ? 'true' : undefined}
      tabIndex={-1}
      onClick={onCurrent}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onBack();
      }}
    >
      <div class="brain-row">
        <span class="brain-mark mod-number" aria-hidden="true">
          {n}
        </span>
        <button
          type="button"
          class="brain-plain mod-inline brain-strong"
          aria-label={`${n}: ${title}, open at the quote`}
          onClick={(event) => open(event.ctrlKey || event.metaKey)}
        >
          {title}
        </button>
        <span class="brain-push" />
        <button
          type="button"
          class="clickable-icon"
          aria-label={`Open ${title} in a new pane`}
          title="New pane"
          onClick={() => open(true)}
        >
          <Icon name="external-link" />
        </button>
      </div>
      <blockquote>{quote}</blockquote>
      <div class="brain-entry-meta brain-result-meta">
        <Writer origin={citation.origin} writtenBy={citation.written_by} />
        {citation.updated_at !== undefined && <span>{day(citation.updated_at)}</span>}
        <span>{placeOf(citation)}</span>
        {stale && (
          <Flag icon="hourglass" tone="amber" title="Past its half-life: check it before you rely on it">
            Stale
          </Flag>
        )}
        {citation.changed_since_review === true && (
          <Flag icon="history" tone="amber" title="Rewritten after it was promoted">
            Changed since review
          </Flag>
        )}
      </div>
    </li>
  );
}
