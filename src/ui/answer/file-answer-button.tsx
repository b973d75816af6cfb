import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, CallError } from '../client';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { FailureNotice } from '../parts/problem';
import { ScreenLink } from '../parts/screen-link';
import { asCallError } from '../parts/use-async';

/** Puts an answer into the review queue and says where it is then. One answer is filed once. */
export function FileAnswerButton({ answer }: { readonly answer: Answer<'answer'> }) {
  const { client } = useUi();
  const [working, setWorking] = useState(false);
  const [path, setPath] = useState<string | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const stands = useRef(true);
  useEffect(() => () => void (stands.current = false), []);
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
      if (stands.current) setPath(filed.path);
    } catch (thrown) {
      if (stands.current) setError(asCallError(thrown));
    } finally {
      if (stands.current) setWorking(false);
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
