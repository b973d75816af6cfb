import { useRef, useState } from 'preact/hooks';
import type { Answer } from '../../core/registry/client';
import { HALLS, isHall, withoutDatePrefix } from '../../core/vocabulary/address';
import { folderOf, stemOf } from '../../core/vocabulary/paths';
import { type UiContext, useUi } from '../client/context';
import { useAct, useCall } from '../kit/async';
import { HallChips, TextField } from '../kit/controls';
import { FailureNotice, Notice, Problem, SkeletonLines } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { isField, useFirstFocus } from '../kit/keys';
import { counted } from '../kit/words';
import {
  CollisionActions,
  DestinationLine,
  type Draft,
  type DraftChange,
  fieldOfError,
  keepPlace,
  lastPlace,
  placeRequest,
  SlugProblem,
  useDestination,
  WingField,
} from './place';

type Adopted = Answer<'adopt'>;
type GivenBack = Answer<'unpromote'>;

/** Opens the layer where a person adopts a note of the owner into the wiki. */
export function openAdopt({ host }: UiContext, path: string): void {
  const close = host.openLayer('Adopt this note', <AdoptSheet path={path} close={() => close()} />);
}

/** The layer that moves a note of the owner into the wiki, then says where it is and takes that back. */
function AdoptSheet({ path, close }: { readonly path: string; readonly close: () => void }) {
  const { client } = useUi();
  const [adopted, setAdopted] = useState<Adopted | null>(null);
  const [back, setBack] = useState<GivenBack | null>(null);
  const undo = useAct(
    async () => {
      if (adopted !== null) setBack(await client.call('unpromote', { path: adopted.path }));
    },
    () => undefined,
  );
  if (back !== null) return <Back back={back} close={close} />;
  if (adopted === null) return <AdoptForm path={path} onAdopted={setAdopted} close={close} />;
  return <Done adopted={adopted} undo={undo} close={close} />;
}

interface FormProps {
  readonly path: string;
  readonly onAdopted: (adopted: Adopted) => void;
  readonly close: () => void;
}

/** Holds the place that a person gives the note, what the service says of it, and the adoption. */
function useAdoption(path: string, onAdopted: FormProps['onAdopted']) {
  const { client, host } = useUi();
  const note = useCall('note', { path, max_chars: 1 });
  const [change, setChange] = useState<DraftChange>({});
  const draft = draftOf(path, note.value, change);
  const destination = useDestination('adopt', path, draft);
  /** The fields at the last try: its error says nothing about others. */
  const tried = useRef(change);
  const adopt = useAct(
    async () => {
      tried.current = change;
      if (draft.hall === null || note.value === null) return;
      const request = placeRequest(path, draft, draft.hall);
      const adopted = await client.call('adopt', { ...request, expected_hash: note.value.content_hash });
      keepPlace(host.session, { wing: draft.wing, hall: draft.hall });
      onAdopted(adopted);
    },
    () => note.reload(),
  );
  const failure = tried.current === change ? adopt.error : null;
  const refused = failure ?? (destination.state === 'refused' ? destination.error : null);
  const isReady = draft.hall !== null && draft.wing.trim() !== '' && note.value !== null;
  const write = (part: DraftChange): void => setChange((old) => ({ ...old, ...part }));
  const wrong = refused === null ? null : fieldOfError(refused);
  return { note, draft, destination, adopt, refused, wrong, isReady, write };
}

function AdoptForm({ path, onAdopted, close }: FormProps) {
  const { note, draft, destination, adopt, refused, wrong, isReady, write } = useAdoption(path, onAdopted);
  const { host } = useUi();
  const wings = useCall('wings', {}).value?.wings ?? [];
  const wing = useFirstFocus<HTMLInputElement>();
  return (
    <form
      class="brain-ask"
      aria-label="Adopt"
      onSubmit={(event) => {
        event.preventDefault();
        adopt.run();
      }}
      onKeyDown={(event) => {
        const hall = HALLS[Number(event.key) - 1];
        const place =
          hall === undefined && event.key.toLowerCase() === 'l' ? lastPlace(host.session) : hall && { hall };
        if (!place || isField(event.target) || event.ctrlKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        write(place);
      }}
    >
      <p>
        <b class="brain-strong brain-bidi">{note.value?.title ?? stemOf(path)}</b>{' '}
        <span class="brain-muted brain-bidi">{folderOf(path)}</span>
      </p>
      <p class="brain-prose brain-muted">
        It moves into the wiki as a reviewed note, and links to it follow. From then on agents may change it,
        with every version kept. You can give it back.
      </p>
      {note.error !== null && <FailureNotice error={note.error} />}
      {note.loading && <SkeletonLines lines={2} label="Reading the note" />}
      <WingField
        value={draft.wing}
        wings={wings}
        inputRef={wing}
        error={wrong === 'wing' ? refused?.message : undefined}
        onInput={(name) => write({ wing: name })}
      />
      <div class="brain-field">
        <span class="brain-label">Hall</span>
        <HallChips value={draft.hall} onChange={(hall) => write({ hall })} />
        {wrong === 'hall' && <Problem>{refused?.message}</Problem>}
      </div>
      <TextField
        label="Slug"
        value={draft.slug}
        error={wrong === 'slug' && refused !== null ? <SlugProblem error={refused} /> : undefined}
        help={<DestinationLine destination={destination} />}
        onInput={(slug) => write({ slug })}
      />
      {refused?.code === 'destination_exists' && (
        <CollisionActions error={refused} slug={draft.slug} onDraft={write} />
      )}
      {refused !== null && wrong === null && note.error === null && <FailureNotice error={refused} />}
      <div class="brain-row brain-ask-foot">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="mod-cta" disabled={adopt.working || !isReady}>
          {adopt.working ? 'Adopting' : 'Adopt'}
        </button>
      </div>
    </form>
  );
}

/** Returns the place of a note: what a person has given, else what the note says of itself. */
function draftOf(path: string, note: Answer<'note'> | null, change: DraftChange): Draft {
  return {
    wing: change.wing ?? note?.wing ?? '',
    hall: change.hall ?? (isHall(note?.hall) ? note.hall : null),
    slug: change.slug ?? withoutDatePrefix(stemOf(path)),
    links: {},
  };
}

function Done(props: {
  readonly adopted: Adopted;
  readonly undo: ReturnType<typeof useAct>;
  readonly close: () => void;
}) {
  const { adopted, undo, close } = props;
  const { host } = useUi();
  const open = useFirstFocus<HTMLButtonElement>();
  const { relinked } = adopted;
  return (
    <div class="brain-ask">
      <div role="status">
        <p>
          <Icon name="circle-check" class="brain-ok" /> Adopted as <b class="brain-strong">{adopted.path}</b>.
        </p>
        {relinked > 0 && (
          <p class="brain-muted">
            {relinked === 1
              ? 'One note that links to it was'
              : `${counted(relinked, 'note')} that link to it were`}{' '}
            brought up to date.
          </p>
        )}
      </div>
      <Warnings warnings={adopted.warnings} />
      {undo.error !== null && <FailureNotice error={undo.error} />}
      <div class="brain-row brain-ask-foot">
        <button type="button" disabled={undo.working} onClick={undo.run}>
          <Icon name="undo-2" />
          {undo.working ? 'Giving it back' : 'Undo'}
        </button>
        <button
          type="button"
          class="mod-cta"
          ref={open}
          onClick={() => {
            close();
            host.openNote(adopted.path);
          }}
        >
          Open it
        </button>
      </div>
    </div>
  );
}

function Back({ back, close }: { readonly back: GivenBack; readonly close: () => void }) {
  const button = useFirstFocus<HTMLButtonElement>();
  const { warnings = [] } = back;
  return (
    <div class="brain-ask">
      <p role="status">
        <Icon name="circle-check" class="brain-ok" /> It is yours again:{' '}
        <b class="brain-strong">{back.path}</b>
        {warnings.length === 0 ? ', byte for byte as it was.' : '.'}
      </p>
      <Warnings warnings={warnings} />
      <div class="brain-row brain-ask-foot">
        <button type="button" class="mod-cta" ref={button} onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

function Warnings({ warnings }: { readonly warnings: readonly string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Notice tone="amber">
      {warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </Notice>
  );
}
