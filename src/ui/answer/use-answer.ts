import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, Ask, CallError } from '../client';
import { useUi } from '../context';
import { asCallError } from '../parts/use-async';

export type AnswerAsk = Pick<Ask<'answer'>, 'query' | 'wing' | 'hall'>;

/** A question and how far it is. The last answer is kept while it is shown again, and asked anew only when that is wanted. */
export type Asked = { readonly ask: AnswerAsk } & (
  | { readonly state: 'waiting' }
  | { readonly state: 'answered'; readonly answer: Answer<'answer'> }
  | { readonly state: 'failed'; readonly error: CallError }
);

export interface Answering {
  /** The question that is shown; null when none is. */
  readonly asked: Asked | null;
  /** Shows the answer to a question: the one that is there when it was just this question, else asks. */
  readonly show: (ask: AnswerAsk) => void;
  /** Asks the same once more. */
  readonly again: () => void;
  /** Shows no answer; one that is awaited is dropped. */
  readonly close: () => void;
}

/** Asks questions of the notes, one at a time: an answer to any but the last question is dropped. */
export function useAnswer(): Answering {
  const { client } = useUi();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isOpen, setOpen] = useState(false);
  const turn = useRef(0);
  useEffect(() => () => void (turn.current += 1), []);

  const send = (ask: AnswerAsk): void => {
    const mine = ++turn.current;
    const settle = (next: Asked): void => {
      if (turn.current === mine) setAsked(next);
    };
    setAsked({ ask, state: 'waiting' });
    client.call('answer', ask).then(
      (answer) => settle({ ask, state: 'answered', answer }),
      (error: unknown) => settle({ ask, state: 'failed', error: asCallError(error) }),
    );
  };
  return {
    asked: isOpen ? asked : null,
    show(ask) {
      setOpen(true);
      const isThere = asked?.state === 'answered' && isSame(asked.ask, ask);
      const isAwaited = isOpen && asked?.state === 'waiting' && isSame(asked.ask, ask);
      if (!isThere && !isAwaited) send(ask);
    },
    again() {
      if (asked !== null) send(asked.ask);
    },
    close() {
      setOpen(false);
      if (asked?.state !== 'waiting') return;
      turn.current += 1;
      setAsked(null);
    },
  };
}

/** Whether two questions are the same. */
export function isSame(one: AnswerAsk, other: AnswerAsk): boolean {
  return one.query === other.query && one.wing === other.wing && one.hall === other.hall;
}
