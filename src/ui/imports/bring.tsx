import { useEffect, useState } from 'preact/hooks';
import type { ImportAnswer } from '../../core/operation/shapes';
import { CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { Check, TextField } from '../kit/controls';
import { FailureNotice, Notice, Progress } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key, useFirstFocus } from '../kit/keys';
import { ScreenLink } from '../kit/screen-link';
import { counted, sizeWords } from '../kit/words';
import type { Incoming, Stage, Terms } from './incoming';
import { droppedFiles, type Picked, type PickedFile, pickedOf } from './picked';
import { Preview } from './preview';

/** Takes files that a person has chosen. */
export function takeFiles(incoming: Incoming, files: readonly PickedFile[]): void {
  if (files.length === 0) return;
  const picked = pickedOf(files);
  if (picked !== null) incoming.choose(picked);
  else
    incoming.refuse(
      new CallError('empty_content', 'Only hidden files were chosen. Choose files with a name that shows.'),
    );
}

/** Takes what was dropped, folders with all that is in them. */
export function takeDrop(incoming: Incoming, data: DataTransfer): void {
  droppedFiles(data).then(
    (files) => {
      if (files.length > 0) takeFiles(incoming, files);
      else
        incoming.refuse(
          new CallError(
            'empty_content',
            'There is no file in it. Drop files or folders of your computer; what is in the vault needs no import.',
          ),
        );
    },
    () =>
      incoming.refuse(
        new CallError(
          'source_missing',
          'A file or folder of it cannot be read. It may have been moved since.',
        ),
      ),
  );
}

interface BringProps {
  readonly incoming: Incoming;
  readonly stage: Stage;
  readonly isOver: boolean;
  readonly imports: readonly ImportAnswer[];
  readonly onFiles: () => void;
  readonly onFolder: () => void;
}

/** A new import: the choice of its files, what a person says of it, its way to the server, and its preview. */
export function Bring(props: BringProps) {
  const { incoming, stage, imports } = props;
  return (
    <section aria-label="Bring notes from elsewhere">
      {stage.step !== 'preview' && <h2 class="brain-heading mod-title">Bring notes from elsewhere</h2>}
      {(stage.step === 'nothing' || stage.step === 'done') && (
        <>
          {stage.step === 'nothing' && stage.error !== null && <FailureNotice error={stage.error} />}
          {stage.step === 'done' && <Made made={stage.made} />}
          <DropArea {...props} />
        </>
      )}
      {stage.step === 'chosen' && (
        <TermsForm
          key={`${stage.picked.source} ${stage.picked.bytes}`}
          incoming={incoming}
          picked={stage.picked}
          isFromQueue={stage.isFromQueue}
          imports={imports}
        />
      )}
      {(stage.step === 'sending' || stage.step === 'reading' || stage.step === 'writing') && (
        <Way stage={stage} onCancel={() => incoming.cancel()} />
      )}
      {stage.step === 'preview' && <Preview stage={stage} incoming={incoming} />}
    </section>
  );
}

function DropArea({ isOver, onFiles, onFolder }: BringProps) {
  return (
    <>
      <p class="brain-prose brain-muted">
        Whatever you kept in another program: its export, an archive, single files or a whole folder. You see
        what it makes before anything happens, and you can take all of it back.
      </p>
      <div class={isOver ? 'brain-imports-drop is-over' : 'brain-imports-drop'}>
        <Icon name="upload" />
        <p class="brain-strong">{isOver ? 'Drop to see what it makes' : 'Drop files or folders here'}</p>
        <div class="brain-row mod-wrap">
          <button type="button" onClick={onFiles}>
            <Icon name="files" />
            Choose files
            <Key>C</Key>
          </button>
          <button type="button" onClick={onFolder}>
            <Icon name="folder" />
            Choose a folder
            <Key>F</Key>
          </button>
        </div>
      </div>
    </>
  );
}

/** What came of an import that was just made. */
function Made({ made }: { readonly made: ImportAnswer }) {
  const { host } = useUi();
  const { undone = [] } = made;
  return (
    <Notice icon="circle-check" tone={undone.length > 0 ? 'amber' : 'neutral'}>
      <p>
        Imported {counted(made.pages, 'note')} as <b class="brain-strong">{made.name}</b>. They can be
        searched now.
      </p>
      {undone.map(({ path, why }) => (
        <p key={path}>
          {path}: {why}
        </p>
      ))}
      <div class="brain-row mod-wrap">
        <ScreenLink screen="imports" params={{ name: made.name }}>
          Open the import
        </ScreenLink>
        <button type="button" class="brain-plain" onClick={() => host.go('search')}>
          Search
        </button>
      </div>
    </Notice>
  );
}

const WAYS = { sending: 'Sending', reading: 'Reading', writing: 'Importing' } as const;

/** The way of an import to the server and into the vault. */
function Way(props: {
  readonly stage: Extract<Stage, { step: 'sending' | 'reading' | 'writing' }>;
  readonly onCancel: () => void;
}) {
  const { step, name, done, total } = props.stage;
  return (
    <div class="brain-card brain-imports-part">
      <span class="brain-sr" role="status">{`${WAYS[step]} ${name}`}</span>
      <Progress
        label={`${WAYS[step]} ${name}`}
        done={done}
        total={total}
        {...(step === 'sending' && { words: `${sizeWords(done)} of ${sizeWords(total)}` })}
        onCancel={props.onCancel}
      />
      <p class="brain-small brain-muted">
        {step === 'writing'
          ? 'What is written when you cancel stays, and can be taken back below.'
          : 'Nothing has changed in the vault yet.'}
      </p>
    </div>
  );
}

/** What a person says of an import before its files are sent. */
function TermsForm(props: {
  readonly incoming: Incoming;
  readonly picked: Picked;
  readonly isFromQueue: boolean;
  readonly imports: readonly ImportAnswer[];
}) {
  const { incoming, picked, isFromQueue, imports } = props;
  const { host } = useUi();
  const [name, setName] = useState(picked.name);
  const [said, setSaid] = useState<Said>({ onlyMe: false, keep: false, again: false });
  const field = useFirstFocus<HTMLInputElement>();
  const typed = name.trim();
  const before = imports.find((each) => each.name === typed && each.state === 'imported');
  useEffect(() => field.current?.select(), []);
  return (
    <form
      class="brain-card brain-imports-part"
      aria-label="New import"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === '') return;
        const terms = { ...said, name: typed, again: said.again && before !== undefined };
        void incoming.send(terms, (ask, part) => host.sendPart(ask, part));
      }}
    >
      {isFromQueue && (
        <Notice>
          An archive of notes is imported, so it is here: its pages become notes of your own, and nothing of
          it waits in the review queue.
        </Notice>
      )}
      <p>
        <b class="brain-strong brain-bidi">{picked.source}</b>{' '}
        <span class="brain-muted">
          {counted(picked.files.length, 'file')}, {sizeWords(picked.bytes)}
        </span>
      </p>
      <TextField
        label="Name"
        value={name}
        inputRef={field}
        error={typed === '' ? 'Give the import a name.' : undefined}
        help={
          <p class="brain-small brain-muted">
            Its notes will be in <code class="brain-mono">imports/{typed}/</code>
          </p>
        }
        onInput={setName}
      />
      <Options before={before?.name ?? null} said={said} onSay={(part) => setSaid({ ...said, ...part })} />
      <div class="brain-row brain-imports-foot">
        <button type="button" onClick={() => incoming.cancel()}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" disabled={typed === ''}>
          Show what it makes
        </button>
      </div>
    </form>
  );
}

type Said = Pick<Terms, 'onlyMe' | 'keep' | 'again'>;

function Options(props: {
  /** The import that has the name. */
  readonly before: string | null;
  readonly said: Said;
  readonly onSay: (part: Partial<Said>) => void;
}) {
  const { before, said, onSay } = props;
  return (
    <>
      {before !== null && (
        <Check
          checked={said.again}
          title={`Add to “${before}” what is new`}
          help="What it has already stays as it is. Otherwise this becomes an import of its own."
          onChange={(again) => onSay({ again })}
        />
      )}
      {!(said.again && before !== null) && (
        <Check
          checked={said.onlyMe}
          title="Only me"
          help="No agent reads these notes, whatever its token may read."
          onChange={(onlyMe) => onSay({ onlyMe })}
        />
      )}
      <Check
        checked={said.keep}
        title="These are mine, keep them as they are"
        help="Otherwise what plugins or programs would run in the pages is made harmless."
        onChange={(keep) => onSay({ keep })}
      />
    </>
  );
}
