import type { ComponentChildren, RefObject } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Ask, CallError } from '../../core/registry/client';
import { zoneOf } from '../../core/vocabulary/paths';
import { useUi } from '../client/context';
import { placeOf } from '../found/result-row';
import { asCallError } from '../kit/async';
import { IconButton } from '../kit/controls';
import { FailureNotice, Flag, Notice, OwnersFlag, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { ScreenLink } from '../kit/screen-link';
import { counted, day } from '../kit/words';
import { Author } from '../kit/writer';
import { NotePreview } from '../markdown/preview';

type Result = Answer<'answer'>;

/**
 * The text for a question without an answer. It never says that something does not exist: the notes do not cover the world.
 */
const NOT_COVERED = 'The notes do not cover this.';

const MAY_ANSWER = 'These passages may answer; they hold only a part of the question.';

const REASONS: Readonly<Record<NonNullable<Result['reason']>, string>> = {
  no_matches: 'No note was found for the question.',
  insufficient_evidence: 'Notes were found, but what they say is not enough for an answer.',
  no_valid_citations:
    'The model answered, but none of its quotes stands in a note, so its answer is not shown.',
};

/** Returns the reason for no answer as a sentence; empty for no reason. */
export function reasonWords(reason: Result['reason']): string {
  return reason === undefined ? '' : REASONS[reason];
}

/** Names the author of an answer: a language model, or the notes themselves. */
export function authorWords({ mode, model }: Pick<Result, 'mode' | 'model'>): string {
  return mode === 'llm' ? `Answered by ${model ?? 'a language model'}` : 'Word for word from the notes';
}

/** Parses the numbers of `[1]`, or of several in a row. */
export function numbersIn(marks: string): number[] {
  return [...marks.matchAll(/\[(\d+)\]/g)].map(([, digits]) => Number(digits));
}

/**
 * The text of an answer, rendered like a note, so that nothing in it can run or load anything. Each `[1]` is a button that
 * leads to its quote; without a quote it stays text.
 */
function AnswerText(props: {
  readonly text: string;
  readonly citations: Answer<'answer'>['citations'];
  readonly onMark: (n: number) => void;
}) {
  const { text, citations, onMark } = props;
  const drawMarks = useCallback(
    (marks: string) =>
      numbersIn(marks).map((n, index) => {
        const cited = citations.find((citation) => citation.n === n);
        if (cited === undefined) return `[${n}]`;
        return (
          <button
            key={index}
            type="button"
            class="brain-mark"
            aria-label={`Quote ${n}: ${cited.title}`}
            title={cited.title}
            data-mark={n}
            onClick={() => onMark(n)}
          >
            {n}
          </button>
        );
      }),
    [citations, onMark],
  );
  return <NotePreview body={text} drawMarks={drawMarks} />;
}

/** The button that files an answer into the review queue, once, and then links to it. */
function FileAnswerButton({ answer }: { readonly answer: Answer<'answer'> }) {
  const { client } = useUi();
  const [working, setWorking] = useState(false);
  const [path, setPath] = useState<string | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);
  const { answer: text, query, citations, model } = answer;
  if (text === null) return null;

  const file = async (): Promise<void> => {
    if (working) return;
    setWorking(true);
    setError(null);
    try {
      const filed = await client.call('fileAnswer', {
        query,
        answer: text,
        citations: citations.map(({ n, path: from, quote }) => ({ n, path: from, quote })),
        ...(model !== undefined && { model }),
      });
      if (isMounted.current) setPath(filed.path);
    } catch (thrown) {
      if (isMounted.current) setError(asCallError(thrown));
    } finally {
      if (isMounted.current) setWorking(false);
    }
  };
  return (
    <div class="brain-file-answer">
      {path === null ? (
        <button type="button" aria-disabled={working} onClick={() => void file()}>
          <Icon name="inbox" />
          {working ? 'Filing the answer' : 'File this answer'}
        </button>
      ) : null}
      <p role="status">
        {path !== null && (
          <>
            Filed as <span class="brain-strong">{path}</span>. It waits in the{' '}
            <ScreenLink screen="queue" params={{ path }}>
              review queue
            </ScreenLink>
            .
          </>
        )}
      </p>
      {error !== null && <FailureNotice error={error} />}
    </div>
  );
}

/** The best notes that the answer does not quote. */
function NearestNotes({ notes }: { readonly notes: Answer<'answer'>['nearest'] }) {
  const { host } = useUi();
  if (notes.length === 0) return null;
  return (
    <section aria-label="Nearest notes">
      <h2 class="brain-heading">Nearest notes</h2>
      <ul class="brain-pile brain-nearest">
        {notes.map((note) => (
          <li key={note.path}>
            <div class="brain-row">
              <button
                type="button"
                class="brain-plain mod-inline brain-strong brain-bidi"
                onClick={(event) => host.openNote(note.path, { newPane: event.ctrlKey || event.metaKey })}
              >
                {note.title}
              </button>
              {note.stale && (
                <Flag icon="hourglass" tone="amber">
                  Stale
                </Flag>
              )}
              {isOwners(note.path) && <OwnersFlag />}
              <span class="brain-push" />
              <span class="brain-address">{placeOf(note)}</span>
            </div>
            <p class="brain-entry-excerpt">{note.excerpt}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Returns true for a note that the owner keeps outside the folders of the service. */
function isOwners(path: string): boolean {
  return zoneOf(path) === 'other';
}

type Citation = Answer<'answer'>['citations'][number];

/** The quotes of an answer, each with its note, writer and date. */
function QuoteList(props: {
  readonly listRef: RefObject<HTMLOListElement | null>;
  readonly citations: readonly Citation[];
  /** The `n` of the current quotes; null for none. */
  readonly current: number | null;
  readonly onCurrent: (n: number) => void;
  /** Called to return to the mark in the answer. */
  readonly onBack: (n: number) => void;
}) {
  const { listRef, citations, current, onCurrent, onBack } = props;
  return (
    <ol class="brain-pile" aria-label="Quotes" ref={listRef}>
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
        <IconButton
          icon="external-link"
          label={`Open ${title} in a new pane`}
          title="New pane"
          onClick={() => open(true)}
        />
      </div>
      <blockquote class="brain-bidi">{quote}</blockquote>
      <div class="brain-entry-meta brain-result-meta">
        <Author isOwners={isOwners(path)} origin={citation.origin} writtenBy={citation.written_by} />
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

export type AnswerAsk = Pick<Ask<'answer'>, 'query' | 'wing' | 'hall'>;

/** A question and its state. The last answer is kept while it is closed, and shown again for the same question. */
type Question = { readonly ask: AnswerAsk } & (
  | { readonly state: 'waiting' }
  | { readonly state: 'answered'; readonly answer: Answer<'answer'> }
  | { readonly state: 'failed'; readonly error: CallError }
);

export interface Answering {
  /** The shown question; null for none. */
  readonly question: Question | null;
  /** Shows the answer to a question. Asks unless the last answer is to the same question. */
  readonly show: (ask: AnswerAsk) => void;
  /** Asks the last question again. */
  readonly again: () => void;
  /** Closes the answer, and discards one that is still awaited. */
  readonly close: () => void;
}

/** Asks questions of the notes, one at a time. Discards answers to all but the last question. */
export function useAnswer(): Answering {
  const { client } = useUi();
  const [question, setQuestion] = useState<Question | null>(null);
  const [isOpen, setOpen] = useState(false);
  const lastCall = useRef(0);
  useEffect(() => () => void (lastCall.current += 1), []);

  const send = (ask: AnswerAsk): void => {
    const call = ++lastCall.current;
    const settle = (next: Question): void => {
      if (lastCall.current === call) setQuestion(next);
    };
    setQuestion({ ask, state: 'waiting' });
    client.call('answer', ask).then(
      (answer) => settle({ ask, state: 'answered', answer }),
      (error: unknown) => settle({ ask, state: 'failed', error: asCallError(error) }),
    );
  };
  return {
    question: isOpen ? question : null,
    show(ask) {
      setOpen(true);
      const isAnswered = question?.state === 'answered' && isSame(question.ask, ask);
      const isAwaited = isOpen && question?.state === 'waiting' && isSame(question.ask, ask);
      if (!isAnswered && !isAwaited) send(ask);
    },
    again() {
      if (question !== null) send(question.ask);
    },
    close() {
      setOpen(false);
      if (question?.state !== 'waiting') return;
      lastCall.current += 1;
      setQuestion(null);
    },
  };
}

/** Returns true for equal questions. */
export function isSame(one: AnswerAsk, other: AnswerAsk): boolean {
  return one.query === other.query && one.wing === other.wing && one.hall === other.hall;
}

/** The answer to a question: its text, the quotes next to it or below it, and the nearest notes. */
export function AnswerPane(props: {
  readonly answering: Answering;
  readonly question: Question;
  /** True when filters are set that narrow the search and not the answer. */
  readonly isUnfiltered: boolean;
  readonly onClose: () => void;
}) {
  const { answering, question, isUnfiltered, onClose } = props;
  const { ask, state } = question;
  const pane = useRef<HTMLElement>(null);
  // The answer takes the focus, for the person wants to read it next.
  useEffect(() => pane.current?.focus({ preventScroll: true }), []);
  return (
    <section class="brain-sections brain-answer brain-scroll" aria-label="Answer" tabIndex={0} ref={pane}>
      <header class="brain-answer-head">
        <IconButton icon="arrow-left" label="Back to the results" onClick={onClose} />
        <h2 class="brain-bidi">{ask.query}</h2>
      </header>
      {isUnfiltered && (
        <p class="brain-small brain-muted">Wing and hall narrow an answer; the other filters do not.</p>
      )}
      <span class="brain-sr" role="status">
        {state === 'answered' && announcement(question.answer)}
      </span>
      {state === 'waiting' && <Waiting onCancel={onClose} />}
      {state === 'failed' && (
        <FailureNotice error={question.error}>
          <button type="button" class="brain-plain" onClick={answering.again}>
            Try again
          </button>
        </FailureNotice>
      )}
      {state === 'answered' && <Answered answer={question.answer} onAgain={answering.again} />}
    </section>
  );
}

/** Returns the text for screen readers when the answer arrives. */
function announcement({ abstained, weak, citations }: Answer<'answer'>): string {
  if (weak === true) return MAY_ANSWER;
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
          {answer.weak === true && <p class="brain-muted">{MAY_ANSWER}</p>}
          {text !== null && <AnswerText text={text} citations={citations} onMark={goTo} />}
          <div class="brain-row mod-wrap brain-answer-foot">
            {text !== null && (
              <Flag icon={answer.mode === 'llm' ? 'message-square' : 'quote'}>{authorWords(answer)}</Flag>
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
    <section aria-label="Quotes from the notes">
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
