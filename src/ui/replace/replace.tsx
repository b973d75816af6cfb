import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Answer, CallError } from '../../core/registry/client';
import { type UiContext, useUi } from '../client/context';
import { compareVersions } from '../diff/model';
import { DiffView } from '../diff/view';
import { asCallError, useCall, useRested } from '../kit/async';
import { Field, TextField } from '../kit/controls';
import { FailureNotice, Notice, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { useKept } from '../kit/kept';
import { isSubmitOfText, useFirstFocus } from '../kit/keys';
import { counted } from '../kit/words';

type Replaced = Answer<'replace'>;

interface Replacing {
  /** The note of the queue. */
  readonly path: string;
  /** The note that gets its text. */
  readonly replaces: string;
  /** The findings of the gate that the person keeps as written. */
  readonly keep?: readonly number[];
  /** Names the findings that `keep` counts. */
  readonly findingsHash?: string | undefined;
  readonly onDone: (replaced: Replaced) => void;
  /** Called when one of the notes has changed meanwhile, so that the screen behind reads them again. */
  readonly onStale: () => void;
}

/** Opens a layer in which a person replaces the text of a note with that of a queued note. */
export function openReplace({ host }: UiContext, replacing: Replacing): void {
  const close = host.openLayer('Replace a note', <ReplaceForm {...replacing} close={() => close()} />);
}

/** Waits this long (ms) after the last letter of a merge before it is tried. */
const TRY_AFTER_MS = 300;

/** The most characters of a note that are merged here, which is the most that the service reads at once. */
const MAX_CHARS = 1_000_000;

/** The hashes of both notes as they were read: a replacement of other versions is refused. */
function useBoth(path: string, replaces: string) {
  const queued = useCall('note', { path, max_chars: MAX_CHARS });
  const current = useCall('note', { path: replaces, max_chars: MAX_CHARS });
  const error = queued.error ?? current.error;
  const both =
    queued.value === null || current.value === null ? null : { queued: queued.value, current: current.value };
  /** A merge of the beginnings would be written as the whole note. */
  const isCut = both !== null && (both.queued.truncated || both.current.truncated);
  return { both, isCut, error };
}

/** The replacement of both notes as they were read: what it would do, and the function that does it. */
function useReplacement(
  { path, replaces, keep, findingsHash, onDone, onStale }: Replacing,
  merge: string | null,
  onReplaced: () => void,
) {
  const { client } = useUi();
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const { both, isCut, error: unread } = useBoth(path, replaces);
  const rested = useRested(merge, TRY_AFTER_MS);
  const ask =
    both === null
      ? null
      : {
          path,
          replaces,
          ...(rested !== null && { body: rested }),
          // The numbers of findings are those of the queued text.
          ...(keep !== undefined && rested === null && { keep: [...keep], findings_hash: findingsHash }),
          expected_hash: both.queued.content_hash,
          replaced_hash: both.current.content_hash,
        };
  const tried = useCall('replace', ask && { ...ask, reason: 'dry run', dry_run: true });
  // The answer to the last text stays on the screen until that to the present one comes; only the latter counts as tried.
  const lastTried = useRef<Replaced | null>(null);
  if (tried.value !== null) lastTried.current = tried.value;
  const isTried =
    merge === rested && !(isCut && merge !== null) && tried.error === null && tried.value !== null;
  const replace = async (reason: string): Promise<void> => {
    if (ask === null || !isTried || working) return;
    setWorking(true);
    setError(null);
    try {
      const replaced = await client.call('replace', { ...ask, reason });
      onReplaced();
      onDone(replaced);
    } catch (thrown) {
      const failure = asCallError(thrown);
      setError(failure);
      setWorking(false);
      if (failure.code === 'hash_mismatch') onStale();
    }
  };
  const failure = error ?? tried.error ?? unread;
  return { both, isCut, tried: lastTried.current, isTried, working, failure, replace };
}

/**
 * The form of a replacement: what will change, by words, the reason, and a merge by hand. The service tries each text first, so what
 * is shown is what the note gets.
 */
function ReplaceForm(props: Replacing & { readonly close: () => void }) {
  const { path, replaces, close } = props;
  const [reason, setReason] = useState('');
  const [kept, keep, wasKept] = useKept(`merge ${path} ${replaces}`);
  const merge = kept === null ? null : kept.text;
  const reasonField = useFirstFocus<HTMLInputElement>();
  const { both, isCut, tried, isTried, working, failure, replace } = useReplacement(props, merge, () => {
    keep(null);
    close();
  });
  const setMerge = (text: string | null): void =>
    keep(text === null ? null : { base: both?.queued.content_hash ?? '', text });

  const given = reason.trim();
  const isReady = isTried && given !== '' && given.length <= 500;
  const submit = (): void => {
    if (isReady) void replace(given);
  };
  const isStale = failure?.code === 'hash_mismatch';
  return (
    <form
      class="brain-ask"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onKeyDown={(event) => {
        // In a field of one line Enter submits the form by itself.
        if (isSubmitOfText(event)) submit();
      }}
    >
      <p>
        <b>{replaces}</b> gets the text of <b>{path}</b>, which leaves the queue. The old text stays in the
        history.
      </p>
      <TextField
        label="Reason"
        inputRef={reasonField}
        value={reason}
        placeholder="What the new text corrects"
        onInput={setReason}
      />
      {merge !== null && both !== null && (
        <>
          {wasKept && <Notice icon="history">Your unsaved merge from before is here.</Notice>}
          <Merge current={both.current.body} text={merge} isSaving={working} onInput={setMerge} />
        </>
      )}
      {tried !== null ? (
        <Changes tried={tried} />
      ) : (
        failure === null && <SkeletonLines lines={6} label="Comparing the texts" />
      )}
      {failure !== null && <NotReplaced error={failure} />}
      {isCut && (
        <Notice icon="info">
          The notes are too long to be merged here. The queued text can be taken as it is.
        </Notice>
      )}
      <div class="brain-row brain-ask-foot">
        <button
          type="button"
          class="brain-plain"
          disabled={both === null || (isCut && merge === null)}
          onClick={() => setMerge(merge === null ? (both?.queued.body ?? '') : null)}
        >
          {merge === null ? 'Merge by hand' : 'Take the queued text as it is'}
        </button>
        <button type="button" onClick={close}>
          {isStale ? 'Close' : 'Cancel'}
        </button>
        <button type="submit" class="mod-cta" disabled={working || !isReady || isStale}>
          <Icon name={working ? 'loader-circle' : 'check'} />
          {working ? 'Replacing' : 'Replace'}
        </button>
      </div>
    </form>
  );
}

function NotReplaced({ error }: { readonly error: CallError }) {
  if (error.code !== 'hash_mismatch') return <FailureNotice error={error} isChange />;
  return (
    <Notice tone="amber">
      One of the notes has changed meanwhile, and nothing was done. Close this and look at them again.
    </Notice>
  );
}

/** The old text beside the new one, which is edited in place. */
function Merge(props: {
  readonly current: string;
  readonly text: string;
  readonly isSaving: boolean;
  readonly onInput: (text: string) => void;
}) {
  const { current, text, isSaving, onInput } = props;
  const field = useFirstFocus<HTMLTextAreaElement>();
  // The cursor begins where the other text does.
  useLayoutEffect(() => field.current?.setSelectionRange(0, 0), [field]);
  return (
    <div class="brain-merge">
      <Field label="Now" note="read only">
        {(control) => <textarea {...control} rows={10} readOnly value={current} />}
      </Field>
      <Field label="Merged">
        {(control) => (
          <textarea
            {...control}
            ref={field}
            rows={10}
            readOnly={isSaving}
            value={text}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        )}
      </Field>
    </div>
  );
}

/** What the replacement changes in the text, line by line and by words, with the remarks of the service. */
function Changes({ tried }: { readonly tried: Replaced }) {
  const { body = '', body_before: before = '', warnings } = tried;
  const area = useRef<HTMLDivElement>(null);
  const model = useMemo(
    () => compareVersions({ content: before, body: before }, { content: body, body }, { properties: false }),
    [before, body],
  );
  return (
    <>
      <h2 class="brain-heading">
        {model.changes === 0 ? 'The text stays the same' : `${counted(model.changes, 'change')} in the text`}
      </h2>
      {model.changes > 0 && (
        <div class="brain-replace-diff">
          <DiffView model={model} layout="inline" areaRef={area} change={-1} />
        </div>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} icon="info">
          {warning}
        </Notice>
      ))}
    </>
  );
}
