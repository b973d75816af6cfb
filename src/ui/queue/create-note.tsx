import { useState } from 'preact/hooks';
import { addressOf } from '../../core/rules/address';
import type { Hall } from '../../core/rules/hall';
import { dashed } from '../../core/rules/slug';
import type { CallError } from '../client';
import { useUi } from '../context';
import { HallChips } from '../parts/chips';
import { Field, TextField } from '../parts/field';
import { Problem } from '../parts/problem';
import { asCallError } from '../parts/use-async';
import type { Draft } from './entry';
import { fieldOf } from './promote-problem';
import { WingField } from './wing-field';

interface Props {
  /** What the link points at, and the words that it shows. */
  readonly target: string;
  readonly text: string;
  /** The new note is suggested to stand where the present one goes. */
  readonly draft: Draft;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly onClose: () => void;
}

/** A small form for the note that a link is missing. When it is made, the link finds it. */
export function CreateNote({ target, text, draft, wings, onClose }: Props) {
  const { client } = useUi();
  const given = addressOf(target.endsWith('.md') ? target : `${target}.md`);
  const name = target.split('/').at(-1) ?? target;
  const [wing, setWing] = useState<string>(given?.wing ?? draft.wing);
  const [hall, setHall] = useState<Hall | null>(given?.hall ?? draft.hall ?? 'facts');
  const [slug, setSlug] = useState<string>(given?.slug ?? dashed(name));
  const [body, setBody] = useState('');
  const [error, setError] = useState<CallError | null>(null);
  const [working, setWorking] = useState(false);
  const wrong = error === null ? null : error.code === 'note_exists' ? 'slug' : fieldOf(error);
  const title = given === null ? name : text;

  const create = async (): Promise<void> => {
    if (hall === null) return;
    setWorking(true);
    setError(null);
    try {
      await client.call('write', { wing, hall, slug, content: `# ${title}\n\n${body.trim()}\n` });
      onClose();
    } catch (failure) {
      setError(asCallError(failure));
      setWorking(false);
    }
  };

  return (
    <form
      class="brain-create"
      aria-label={`New note: ${title}`}
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <WingField
        value={wing}
        wings={wings}
        error={wrong === 'wing' ? error?.message : undefined}
        onInput={setWing}
      />
      <div class="brain-field">
        <span class="brain-label">Hall</span>
        <HallChips value={hall} onChange={setHall} />
      </div>
      <TextField
        label="Slug"
        value={slug}
        error={wrong === 'slug' ? error?.message : undefined}
        onInput={setSlug}
      />
      <Field label="Text" note="optional">
        {(control) => (
          <textarea
            {...control}
            rows={3}
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        )}
      </Field>
      {error !== null && wrong === null && <Problem>{error.message}</Problem>}
      <div class="brain-row">
        <button type="submit" class="mod-cta brain-action" disabled={working || wing.trim() === ''}>
          {working ? 'Creating' : 'Create'}
        </button>
        <button type="button" class="brain-action" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
