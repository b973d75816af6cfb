import { useCallback } from 'preact/hooks';
import type { Answer } from '../client';
import { NotePreview } from '../preview/note-preview';
import { numbersIn } from './answer-words';

/**
 * The text of an answer, drawn like a note, so that nothing in it can run or load anything. Its `[1]` are buttons that
 * lead to their quotes; one that no quote belongs to stays text.
 */
export function AnswerText(props: {
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
