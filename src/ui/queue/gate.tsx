import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../../core/registry/client';
import { addressOf, dashed, type Hall } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import { asCallError, type AsyncState } from '../kit/async';
import { Check, Field, HallChips, TextField } from '../kit/controls';
import { FailureNotice, Problem } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { count, counted } from '../kit/words';
import { type NoteRef, reasonWords } from '../markdown/note-links';
import { type Draft, fieldOfError, WingField } from '../place/place';
import type { GateReport } from './state';

interface CreateNoteProps {
  readonly target: string;
  /** The text of the link. */
  readonly text: string;
  /** The draft of the pending note: its wing and hall are suggested for the new one. */
  readonly draft: Draft;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly onClose: () => void;
}

/** A form that creates the missing note of a link, which then resolves. */
function CreateNote({ target, text, draft, wings, onClose }: CreateNoteProps) {
  const { client } = useUi();
  const address = addressOf(target.endsWith('.md') ? target : `${target}.md`);
  const name = target.split('/').at(-1) ?? target;
  const place = address ?? { wing: draft.wing, hall: draft.hall ?? 'facts', slug: dashed(name) };
  const [wing, setWing] = useState<string>(place.wing);
  const [hall, setHall] = useState<Hall | null>(place.hall);
  const [slug, setSlug] = useState<string>(place.slug);
  const [body, setBody] = useState('');
  const [error, setError] = useState<CallError | null>(null);
  const [working, setWorking] = useState(false);
  const wrong = error === null ? null : error.code === 'note_exists' ? 'slug' : fieldOfError(error);
  const title = address === null ? name : text;

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

/** The action that fixes a finding. */
type Remedy = 'create' | 'choose' | null;

/** A target that the gate makes harmless, with all its occurrences in the note. */
interface Finding {
  readonly key: string;
  readonly target: string;
  /** The text of the link in the note. */
  readonly text: string;
  readonly why: string;
  readonly kind: 'link' | 'image' | 'address' | 'active';
  readonly remedy: Remedy;
  readonly candidates: readonly string[];
}

/** Returns the findings among references, each target once, in the order of the text. */
export function findingsOf(refs: readonly NoteRef[]): Finding[] {
  const found = new Map<string, Finding>();
  for (const ref of refs) {
    const { reason, target, text, candidates = [] } = ref;
    if (reason === undefined) continue;
    const key = `${reason} ${target}`;
    if (found.has(key)) continue;
    found.set(key, {
      key,
      target,
      text: text.trim() === '' ? target : text,
      why: reasonWords(ref),
      kind: kindOf(reason),
      remedy: remedyOf(ref),
      candidates,
    });
  }
  return [...found.values()];
}

function remedyOf({ reason, kind, target, candidates = [] }: NoteRef): Remedy {
  if (reason === 'ambiguous') return candidates.length > 0 ? 'choose' : null;
  const isFile = /\.(?!md$)[a-z0-9]{1,5}$/i.test(target);
  return reason === 'missing' && !isFile && (kind === 'wikilink' || kind === 'mdlink') ? 'create' : null;
}

function kindOf(reason: NonNullable<NoteRef['reason']>): Finding['kind'] {
  if (reason === 'remote_embed') return 'image';
  if (reason === 'unsafe_scheme') return 'address';
  return reason === 'active_content' ? 'active' : 'link';
}

/** The service names at most this many references of a note, those with findings first. */
const MAX_NAMED = 200;

/** Returns true when the service may have left findings out: it named the maximum, and all of them are findings. */
export function isCut(refs: readonly NoteRef[]): boolean {
  return refs.length >= MAX_NAMED && refs.every(({ reason }) => reason !== undefined);
}

/** Returns the numbers of findings in words: `2 links, 1 remote image`; with `cut`, `200 or more links`. */
export function findingWords(findings: readonly Finding[], cut = false): string {
  const number = (kind: Finding['kind']): number =>
    findings.filter((finding) => finding.kind === kind).length;
  const parts = [
    [number('link'), 'link'],
    [number('image'), 'remote image'],
    [number('address'), 'unsafe address', 'unsafe addresses'],
    [number('active'), 'active part'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, noun, plural = `${noun}s`]) =>
      cut ? `${count(amount)} or more ${plural}` : counted(amount, noun, plural),
    )
    .join(', ');
}

const ICONS: Readonly<Record<Finding['kind'], IconName>> = {
  link: 'unlink',
  image: 'image-off',
  address: 'ban',
  active: 'terminal',
};

/** A part of the text that Promote changes. */
type Change = GateReport['findings'][number];

const CHANGED: Readonly<Record<Change['reason'], string>> = {
  missing: 'A link that leads nowhere',
  ambiguous: 'A link with several meanings',
  self: 'A link to the note itself',
  unreviewed: 'A link to a note that nobody has reviewed',
  protected: 'A link into a folder that notes may not point to',
  remote_embed: 'A remote image becomes a link',
  unsafe_scheme: 'An address that could run something',
  active_content: 'Content that could run by itself',
  invisible: 'Characters that nobody can see',
};

/** The reasons for which a promotion leaves a link as it is written. */
const OPEN: readonly NoteRef['reason'][] = ['missing', 'ambiguous', 'self'];

/** Returns the links that stay as written although they lead nowhere, each target once. */
export function openLinks(refs: readonly NoteRef[]): Finding[] {
  return findingsOf(refs.filter(({ reason }) => OPEN.includes(reason)));
}

/**
 * Returns the property with template code in the front matter, empty when it has no name; null without template code. Promote leaves
 * it as written, unlike template code in the text.
 */
export function templateProperty(refs: readonly NoteRef[]): string | null {
  return refs.find(({ kind, unlinked }) => kind === 'template' && !unlinked)?.text ?? null;
}

/** Says what Promote does to a number of parts of which some are kept: `Promote changes 2 of 3 parts`. */
export function changeWords(total: number, kept: number): string {
  if (kept >= total)
    return `Promote keeps ${total === 1 ? 'the part' : `all ${count(total)} parts`} as written`;
  return kept === 0
    ? `Promote changes ${counted(total, 'part')}`
    : `Promote changes ${count(total - kept)} of ${counted(total, 'part')}`;
}

interface GatePanelProps {
  readonly gate: AsyncState<GateReport>;
  /** True when the gate has changed something already, when the note came in. */
  readonly hasActed: boolean;
  readonly draft: Draft;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly onChoose: (target: string, path: string | null) => void;
  readonly onKeep: (index: number, isKept: boolean) => void;
}

/**
 * What Promote does to the text: each part that it changes with the words that will stand, and a switch that keeps the part as
 * written. Below them the links that lead nowhere, which stay as written: a person can create the missing note of a link, and
 * choose the target of an ambiguous one.
 */
export function GatePanel({ gate, hasActed, draft, wings, onChoose, onKeep }: GatePanelProps) {
  const [open, setOpen] = useState<string | null>(null);
  const { value, error } = gate;
  if (error !== null && value === null) {
    return <FailureNotice error={error} />;
  }
  if (value === null) return null;
  const links = openLinks(value.refs);
  const { findings } = value;
  const property = templateProperty(value.refs);
  if (property === null && links.length + findings.length === 0) {
    return (
      <p class="brain-row brain-muted">
        <Icon name="shield-check" />
        The gate finds nothing {hasActed && 'more '}to remove
      </p>
    );
  }
  return (
    <>
      {property !== null && (
        <>
          <h2 class="brain-heading">
            <Icon name="terminal" />
            Template code in the properties
          </h2>
          <p class="brain-small brain-muted">
            {property === '' ? 'A property' : `The property “${property}”`} has template code, which a plug-in
            may run. Promote leaves it as written.
          </p>
        </>
      )}
      {findings.length > 0 && <Changes findings={findings} keep={draft.keep ?? []} onKeep={onKeep} />}
      {links.length > 0 && (
        <>
          <h2 class="brain-heading">
            <Icon name="shield" />
            Gate finds {findingWords(links, isCut(value.refs))}
          </h2>
          <p class="brain-small brain-muted">
            Promote leaves {links.length === 1 ? 'it' : 'them'} as written.
          </p>
          <ul class="brain-card brain-divided brain-gate">
            {links.map((finding) => (
              <Row
                key={finding.key}
                finding={finding}
                draft={draft}
                wings={wings}
                open={open === finding.key}
                onToggle={(on) => setOpen(on ? finding.key : null)}
                onChoose={onChoose}
              />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The panel shows at most this many changed parts; all of them are marked in the text. */
const MAX_CHANGES = 100;

/** The parts that Promote changes: what stands, what will stand, and the switch that keeps it. */
function Changes(props: {
  readonly findings: readonly Change[];
  readonly keep: readonly number[];
  readonly onKeep: GatePanelProps['onKeep'];
}) {
  const { findings, keep, onKeep } = props;
  return (
    <>
      <h2 class="brain-heading">
        <Icon name="shield" />
        {changeWords(findings.length, keep.length)}
      </h2>
      <ul class="brain-card brain-divided brain-gate brain-changes" aria-label="What Promote changes">
        {findings.slice(0, MAX_CHANGES).map(({ index, kind, reason, line, text, becomes }) => {
          const isKept = keep.includes(index);
          return (
            <li key={index}>
              <Icon name={ICONS[kindOfChange(kind, reason)]} />
              <b>
                {CHANGED[reason]} <span class="brain-count">line {count(line)}</span>
              </b>
              <div class="brain-change">
                <span class="brain-sr">Stands: </span>
                <code class={isKept ? undefined : 'mod-del'} dir="auto">
                  {text}
                </code>
                {!isKept && (
                  <>
                    <span class="brain-sr">Will stand: </span>
                    <code class="mod-add" dir="auto">
                      {becomes === '' ? <i>nothing</i> : becomes}
                    </code>
                  </>
                )}
                <Check checked={isKept} title="Keep as written" onChange={(on) => onKeep(index, on)} />
              </div>
            </li>
          );
        })}
      </ul>
      {findings.length > MAX_CHANGES && (
        <p class="brain-small brain-muted">
          {count(findings.length - MAX_CHANGES)} more parts are changed. Source shows the text that will
          stand.
        </p>
      )}
    </>
  );
}

function kindOfChange(kind: Change['kind'], reason: Change['reason']): Finding['kind'] {
  return kind === 'invisible' || reason === 'invisible' ? 'active' : kindOf(reason);
}

function Row(
  props: Pick<GatePanelProps, 'draft' | 'wings' | 'onChoose'> & {
    readonly finding: Finding;
    readonly open: boolean;
    readonly onToggle: (open: boolean) => void;
  },
) {
  const { finding, draft, wings, open, onToggle, onChoose } = props;
  const { kind, text, why, remedy, target, candidates } = finding;
  const chosen = draft.links[target];
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!open) return;
    row.current?.querySelector<HTMLElement>('.brain-choice, input')?.focus({ preventScroll: true });
    row.current?.scrollIntoView({ block: 'nearest' });
  }, [open]);
  return (
    <li ref={row}>
      <Icon name={chosen === undefined ? ICONS[kind] : 'link'} />
      <b class="brain-cut" title={text}>
        {text}
      </b>
      <p class="brain-cut" title={chosen ?? why}>
        {chosen ?? why}
      </p>
      {remedy !== null && (
        <button
          type="button"
          class="brain-plain"
          aria-label={`${remedy === 'create' ? 'Create note' : 'Choose'}: ${text}`}
          aria-expanded={open}
          onClick={() => onToggle(!open)}
        >
          {remedy === 'create' ? 'Create note' : chosen === undefined ? 'Choose' : 'Change'}
        </button>
      )}
      {open && remedy === 'choose' && (
        <ul class="brain-choices" aria-label={`What ${text} means`}>
          {candidates.map((path) => (
            <li key={path}>
              <button
                type="button"
                class="brain-choice"
                aria-pressed={chosen === path}
                onClick={() => {
                  onChoose(target, path);
                  onToggle(false);
                }}
              >
                {path}
              </button>
            </li>
          ))}
          {chosen !== undefined && (
            <li>
              <button
                type="button"
                class="brain-choice"
                onClick={() => {
                  onChoose(target, null);
                  onToggle(false);
                }}
              >
                None of these
              </button>
            </li>
          )}
        </ul>
      )}
      {open && remedy === 'create' && (
        <CreateNote target={target} text={text} draft={draft} wings={wings} onClose={() => onToggle(false)} />
      )}
    </li>
  );
}
