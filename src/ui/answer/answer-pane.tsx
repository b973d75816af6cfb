import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer } from '../client';
import { Flag } from '../parts/flag';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { Notice } from '../parts/notice';
import { FailureNotice } from '../parts/problem';
import { SkeletonLines } from '../parts/skeleton';
import { counted } from '../parts/words';
import { AnswerText } from './answer-text';
import { makerWords, NOT_COVERED, reasonWords } from './answer-words';
import { FileAnswerButton } from './file-answer-button';
import { NearestNotes } from './nearest-notes';
import { QuoteList } from './quote-list';
import type { Answering, Asked } from './use-answer';

/** The answer to a question: its text, the quotes beside it where there is room and below it otherwise, the nearest notes. */
export function AnswerPane(props: {
  readonly answering: Answering;
  readonly asked: Asked;
  /** True when filters are set that narrow a search and not an answer. */
  readonly isUnfiltered: boolean;
  readonly onClose: () => void;
}) {
  const { answering, asked, isUnfiltered, onClose } = props;
  const { ask, state } = asked;
  const pane = useRef<HTMLElement>(null);
  // What was asked for is what the person wants to read next.
  useEffect(() => pane.current?.focus({ preventScroll: true }), []);
  return (
    <section class="brain-answer brain-scroll" aria-label="Answer" tabIndex={0} ref={pane}>
      <header class="brain-answer-head">
        <button type="button" class="clickable-icon" aria-label="Back to the results" onClick={onClose}>
          <Icon name="arrow-left" />
        </button>
        <h2>{ask.query}</h2>
      </header>
      {isUnfiltered && (
        <p class="brain-small brain-muted">Wing and hall narrow an answer; the other filters do not.</p>
      )}
      <span class="brain-sr" role="status">
        {state === 'answered' && saidOf(asked.answer)}
      </span>
      {state === 'waiting' && <Waiting onCancel={onClose} />}
      {state === 'failed' && (
        <FailureNotice error={asked.error}>
          <button type="button" class="brain-plain" onClick={answering.again}>
            Try again
          </button>
        </FailureNotice>
      )}
      {state === 'answered' && <Answered answer={asked.answer} onAgain={answering.again} />}
    </section>
  );
}

/** What a screen reader hears when the answer is there. */
function saidOf({ abstained, citations }: Answer<'answer'>): string {
  return abstained ? NOT_COVERED : `The answer is there, with ${counted(citations.length, 'quote')}.`;
}

function Waiting({ onCancel }: { readonly onCancel: () => void }) {
  return (
    <>
      <div class="brain-row">
        <span role="status">Reading the notes. A language model may take a minute.</span>
        <span class="brain-push" />
        <button type="button" onClick={onCancel}>
          Cancel <Key>Esc</Key>
        </button>
      </div>
      <SkeletonLines lines={4} label="Looking for an answer" />
    </>
  );
}

function Answered({ answer, onAgain }: { readonly answer: Answer<'answer'>; readonly onAgain: () => void }) {
  const { answer: text, citations, nearest, warnings } = answer;
  const [current, setCurrent] = useState<number | null>(null);
  const body = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const goTo = useCallback((n: number): void => {
    setCurrent(n);
    const quote = list.current?.querySelector<HTMLElement>(`[data-quote="${n}"]`);
    quote?.focus({ preventScroll: true });
    quote?.scrollIntoView({ block: 'nearest' });
  }, []);
  const goBack = (n: number): void => body.current?.querySelector<HTMLElement>(`[data-mark="${n}"]`)?.focus();
  return (
    <>
      {warnings.map((warning) => (
        <Notice key={warning} tone="amber">
          {warning}
        </Notice>
      ))}
      <div class="brain-answer-parts">
        <div class="brain-answer-body" ref={body}>
          {text === null ? <Abstained reason={answer.reason} /> : null}
          {text !== null && <AnswerText text={text} citations={citations} onMark={goTo} />}
          <div class="brain-row mod-wrap brain-answer-foot">
            {text !== null && (
              <Flag icon={answer.mode === 'llm' ? 'message-square' : 'quote'}>{makerWords(answer)}</Flag>
            )}
            <button type="button" class="brain-plain" onClick={onAgain}>
              Ask again
            </button>
          </div>
          {text !== null && <FileAnswerButton key={text} answer={answer} />}
        </div>
        {citations.length > 0 && (
          <Side title={counted(citations.length, 'quote')}>
            <QuoteList
              listRef={list}
              citations={citations}
              current={current}
              onCurrent={setCurrent}
              onBack={goBack}
            />
          </Side>
        )}
      </div>
      <NearestNotes notes={nearest} />
    </>
  );
}

function Side({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <section class="brain-answer-side" aria-label="Quotes from the notes">
      <h2 class="brain-heading">{title}</h2>
      {children}
    </section>
  );
}

function Abstained({ reason }: Pick<Answer<'answer'>, 'reason'>) {
  return (
    <div class="brain-abstained">
      <p class="brain-strong">{NOT_COVERED}</p>
      <p class="brain-muted">{reasonWords(reason)}</p>
    </div>
  );
}
