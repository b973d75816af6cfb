import { useState } from 'preact/hooks';
import { folderOf, zoneOf } from '../../core/vocabulary/paths';
import { useUi } from '../client/context';
import { Notice } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { Key } from '../kit/keys';
import { age, count, counted, moment } from '../kit/words';
import { doorOf, Writer, WriterWords } from '../kit/writer';
import { linkTarget, wikilinkParts } from '../markdown/inline';
import { valueWords } from '../markdown/properties';
import type { Draft } from '../place/place';
import { type Entry, extractionWords, harmlessWords } from './entry';
import { PromoteForm, RejectForm } from './forms';
import { changeWords, findingWords, GatePanel, isCut, openLinks, templateProperty } from './gate';
import type { QueueScreenModel } from './model';
import { NoteSteps } from './note';
import type { GateReport, Note } from './state';

/** A source of a note, as a link where a screen can open it. */
export type Source =
  | { readonly kind: 'address'; readonly href: string; readonly words: string }
  /** A note of the vault. */
  | { readonly kind: 'note'; readonly path: string; readonly words: string }
  /** Another file of the vault, and the cited page of it, from 1. */
  | { readonly kind: 'file'; readonly path: string; readonly page?: number; readonly words: string }
  | { readonly kind: 'words'; readonly words: string };

/** Extensions of documents: a link that ends in one of these leads to a file, in any folder. */
const FILES = new Set(
  'pdf html htm xhtml xht csv tsv json jsonl ndjson ipynb eml vcf ics org rst vtt srt yaml yml log txt docx xlsx pptx png jpg jpeg'.split(
    ' ',
  ),
);
/** Matches a page number of at most six digits. */
const PAGE = /#page=(\d{1,6})\b/;

/**
 * Parses an element of `sources`: a URL, `[[inbox/processed/…/report.pdf#page=3|report.pdf]]`, `file:report.pdf`, or other
 * words.
 */
export function parseSource(written: string): Source {
  const inside = /^\[\[([^[\]]+)\]\]$/.exec(written.trim())?.[1];
  if (inside !== undefined) return parseWikilink(inside);
  const outside = /^file:(?!\/)(.+)$/s.exec(written)?.[1];
  if (outside !== undefined) return { kind: 'words', words: outside };
  const leads = linkTarget(written);
  if (leads.kind !== 'external') return { kind: 'words', words: written };
  return {
    kind: 'address',
    href: leads.href,
    words: written.replace(/^[a-z]+:\/\/(?:www\.)?/i, ''),
  };
}

function parseWikilink(inside: string): Source {
  const { target, words } = wikilinkParts(inside);
  if (target === '') return { kind: 'words', words: inside };
  const extension = /\.([^./]+)$/.exec(target)?.[1]?.toLowerCase();
  // A link to a note has no extension, and the name of a note may contain a dot.
  const isFile =
    extension !== undefined && extension !== 'md' && (FILES.has(extension) || target.startsWith('inbox/'));
  const shown = words === target || words === '' ? (target.split('/').at(-1) ?? target) : words;
  if (!isFile) return { kind: 'note', path: extension === 'md' ? target : `${target}.md`, words: shown };
  const page = Number(PAGE.exec(inside)?.[1] ?? 0);
  return { kind: 'file', path: target, words: shown, ...(page > 0 && { page }) };
}

/** A source of a note, as a link where the host can open it, else as words. */
function SourceLink({ source }: { readonly source: string }) {
  const { host } = useUi();
  const parsed = parseSource(source);
  switch (parsed.kind) {
    case 'words':
      return <span title={parsed.words}>{parsed.words}</span>;
    case 'address':
      return (
        <a href={parsed.href} title={parsed.href} target="_blank" rel="noopener noreferrer nofollow">
          {parsed.words}
        </a>
      );
    case 'note':
      return (
        <button
          type="button"
          class="brain-notelink brain-cut"
          title={parsed.path}
          onClick={() => host.openNote(parsed.path, { newPane: true })}
        >
          {parsed.words}
        </button>
      );
    case 'file': {
      const { path, page } = parsed;
      const words = page === undefined ? parsed.words : `${parsed.words}, page ${page}`;
      if (host.openFile === undefined) return <span title={path}>{words}</span>;
      return (
        <button
          type="button"
          class="brain-notelink brain-cut"
          title={path}
          onClick={() => host.openFile?.(path, page)}
        >
          {words}
        </button>
      );
    }
  }
}

/** A note names at most this many sources. */
const MAX_SOURCES = 3;

/** The writer of a note, how and when it came in, its sources, its extraction, and its claim. */
function Facts(props: {
  readonly entry: Entry;
  readonly note: Note | null;
  /** Has the model extract pages from the source; null where that is impossible. */
  readonly onReExtract: (() => void) | null;
}) {
  const { entry, note, onReExtract } = props;
  const sources = distinctSources(entry);
  return (
    <dl class="brain-facts">
      <dt>Written by</dt>
      <dd>
        <WriterWords writtenBy={entry.written_by} />
      </dd>
      <dt>Came in</dt>
      <dd class="mod-wrap">
        {doorOf(entry.origin).words}, {moment(entry.created_at)}
      </dd>
      <dt>Source</dt>
      <dd>
        {sources.length === 0 ? (
          <span class="brain-muted">none given</span>
        ) : (
          sources.slice(0, MAX_SOURCES).map((source) => (
            <span key={source} class="brain-source">
              <SourceLink source={source} />
            </span>
          ))
        )}
        {sources.length > MAX_SOURCES && (
          <span class="brain-muted">and {count(sources.length - MAX_SOURCES)} more</span>
        )}
      </dd>
      {entry.extraction !== undefined && (
        <>
          <dt>Made</dt>
          <dd class="mod-wrap">
            {extractionWords(entry)}
            {onReExtract !== null && (
              <button type="button" class="brain-plain mod-inline brain-re-extract" onClick={onReExtract}>
                Re-extract with the model
              </button>
            )}
            {entry.unverified && <span class="brain-warn">None of its quotes stands in the source.</span>}
          </dd>
        </>
      )}
      <dt>Claim</dt>
      <dd class="mod-wrap">{note === null ? '' : <Claim frontmatter={note.frontmatter} />}</dd>
    </dl>
  );
}

/** Returns the sources of a note, each once; `source` is left out when a link in `sources` already shows its words. */
function distinctSources({ source, sources }: Entry): readonly string[] {
  const isShown = source !== undefined && sources.some((other) => parseSource(other).words === source);
  return [...new Set([...(source === undefined || isShown ? [] : [source]), ...sources])];
}

function Claim({ frontmatter }: Pick<Note, 'frontmatter'>) {
  const { claim_provenance: provenance, half_life: halfLife, applies } = frontmatter;
  const words = [provenance, halfLife, applies].map(valueWords).filter((word) => word !== '');
  return words.length === 0 ? <span class="brain-muted">none stated</span> : <>{words.join(', ')}</>;
}

/** The most similar notes, each with a button that compares it and one that opens it. */
function SimilarNotes(props: {
  readonly similar: Entry['similar'];
  readonly onCompare: (path: string) => void;
  readonly onReplace: (path: string) => void;
}) {
  const { similar, onCompare, onReplace } = props;
  const { host } = useUi();
  return (
    <>
      <h2 class="brain-heading">
        <Icon name="copy" />
        Similar notes
      </h2>
      <ul class="brain-card brain-divided brain-gate brain-twins">
        {similar.map(({ path, title, stale, shared }, index) => (
          <li key={path}>
            <Icon name="file-text" />
            <button
              type="button"
              class="brain-notelink brain-cut"
              title={path}
              onClick={() => host.openNote(path, { newPane: true })}
            >
              {title}
            </button>
            <p class="brain-cut">
              {placeOf(path)}
              {stale && ', stale'}
            </p>
            <p class="brain-shared">
              Both have: <bdi>{shared.join(', ')}</bdi>
            </p>
            <button type="button" class="brain-plain" onClick={() => onCompare(path)}>
              Compare
              <span class="brain-sr"> with {title}</span>
              {index === 0 && <Key>C</Key>}
            </button>
            {isReplaceable(path) && (
              <button type="button" class="brain-plain mod-second" onClick={() => onReplace(path)}>
                Replace
                <span class="brain-sr"> {title}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Returns true for a note that may get the text of a queued one: a note of the service, not of its owner. */
function isReplaceable(path: string): boolean {
  const zone = zoneOf(path);
  return zone === 'wiki' || zone === 'knowledge';
}

/** Returns the place of a note in words: wing and hall, or whose note it is. */
function placeOf(path: string): string {
  const [top = '', wing = '', hall = ''] = path.split('/');
  const zone = zoneOf(path);
  if (zone === 'wiki') return `${wing} / ${hall}`;
  if (zone === 'raw') return 'In the queue';
  if (zone !== 'other') return top;
  return folderOf(path) === '' ? 'Your note' : `Your note, in ${folderOf(path)}`;
}

/** The state of a section that a narrow pane folds; a wide pane always shows it. */
interface Unfolding {
  readonly open: boolean;
  readonly toggle: () => void;
}

function useUnfolding(): Unfolding {
  const [open, setOpen] = useState(false);
  return { open, toggle: () => setOpen(!open) };
}

/** The decision on a note: its facts, similar notes, findings of the gate, and the form, each always in the same place. */
export function DecisionPane({ model }: { readonly model: QueueScreenModel }) {
  const { entry, draft } = model;
  const facts = useUnfolding();
  const similar = useUnfolding();
  if (entry === null || draft === null) return <section class="brain-decision" aria-label="Decision" />;
  return (
    <section class="brain-decision" aria-label="Decision">
      <div class="brain-bar">
        <h2>Decide</h2>
        <NoteSteps model={model} />
      </div>
      <div class="brain-info brain-scroll" tabIndex={0} role="region" aria-label="About this note">
        <FactsSection model={model} entry={entry} facts={facts} />
        <GateSection model={model} entry={entry} draft={draft} />
        <SimilarSection model={model} entry={entry} similar={similar} />
      </div>
      <DecisionForm model={model} entry={entry} draft={draft} />
    </section>
  );
}

interface SectionProps {
  readonly model: QueueScreenModel;
  readonly entry: Entry;
}

function FactsSection({ model, entry, facts }: SectionProps & { readonly facts: Unfolding }) {
  const { note, gone, commands } = model;
  const { host } = useUi();
  const ageWords = age(entry.created_at, host.now());
  return (
    <>
      <h2 class="brain-narrow-title brain-bidi brain-narrow-only">{entry.title}</h2>
      <div class="brain-row brain-narrow-only brain-between">
        <Writer origin={entry.origin} writtenBy={entry.written_by} />
        <button type="button" class="brain-plain" aria-expanded={facts.open} onClick={facts.toggle}>
          {ageWords === 'now' ? 'Just now' : `${ageWords} ago`}
          <Icon name={facts.open ? 'chevron-up' : 'chevron-down'} />
        </button>
      </div>
      {entry.warnings.length > 0 && (
        <Notice tone="amber">
          {entry.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </Notice>
      )}
      {entry.made_harmless !== undefined && (
        <Notice tone="amber">
          <p>When the note came in, the gate changed what was sent:</p>
          {harmlessWords(entry.made_harmless).map((words) => (
            <p key={words}>{words}</p>
          ))}
        </Notice>
      )}
      <section class={facts.open ? undefined : 'brain-wide-only'} aria-label="Provenance">
        <Facts
          entry={entry}
          note={note.value}
          onReExtract={entry.can_re_extract && !gone ? commands.reExtract : null}
        />
      </section>
    </>
  );
}

function SimilarSection({ model, entry, similar }: SectionProps & { readonly similar: Unfolding }) {
  if (entry.similar.length === 0) return null;
  return (
    <>
      <Fold
        icon="copy"
        words={counted(entry.similar.length, 'similar note')}
        open={similar.open}
        onToggle={similar.toggle}
      />
      <section class={similar.open ? undefined : 'brain-wide-only'} aria-label="Similar notes">
        <SimilarNotes
          similar={entry.similar}
          onCompare={model.commands.compareWith}
          onReplace={model.commands.replace}
        />
      </section>
    </>
  );
}

function GateSection({ model, entry, draft }: SectionProps & { readonly draft: Draft }) {
  const { gate, gateOpen, wings, refs, commands } = model;
  const words = gateWords(gate.value, draft);
  return (
    <>
      {words !== '' && <Fold icon="shield" words={words} open={gateOpen} onToggle={commands.toggleGate} />}
      <section
        class={gateOpen ? undefined : 'brain-wide-only'}
        aria-label="Gate"
        tabIndex={-1}
        ref={refs.gate}
      >
        <GatePanel
          key={entry.path}
          gate={gate}
          hasActed={entry.made_harmless !== undefined}
          draft={draft}
          wings={wings}
          onChoose={commands.chooseLink}
          onKeep={commands.keep}
        />
      </section>
    </>
  );
}

/** Returns the line of the folded section: template code in properties, what Promote changes, then the links that lead nowhere; empty without any. */
function gateWords(gate: GateReport | null, { keep = [] }: Draft): string {
  if (gate === null) return '';
  const links = openLinks(gate.refs);
  return [
    templateProperty(gate.refs) === null ? '' : 'Template code in the properties',
    gate.findings.length > 0 ? changeWords(gate.findings.length, keep.length) : '',
    links.length > 0 ? `Gate: ${findingWords(links, isCut(gate.refs))}` : '',
  ]
    .filter((words) => words !== '')
    .join('. ');
}

/** The form that promotes the note, or the one that rejects it. */
function DecisionForm({ model, entry, draft }: SectionProps & { readonly draft: Draft }) {
  const { state, problem, gone, refs, commands } = model;
  if (state.mode === 'reject') {
    return (
      <RejectForm
        verb="Reject"
        reason={model.reason}
        error={problem}
        areaRef={refs.reason}
        onReason={model.setReason}
        onReject={commands.reject}
        onCancel={commands.cancelReject}
      />
    );
  }
  return (
    <PromoteForm
      entry={entry}
      draft={draft}
      wings={model.wings}
      destination={model.destination}
      error={problem}
      gone={gone}
      wingRef={refs.wing}
      slugRef={refs.slug}
      hallRef={refs.hall}
      onDraft={commands.change}
      onHall={commands.chooseHall}
      onPromote={commands.promote}
      onReject={commands.startReject}
      onCompare={commands.compareWith}
      onReplace={commands.replace}
      onUnfold={commands.unfold}
    />
  );
}

/** The line of a section that a narrow pane folds. */
function Fold(props: {
  readonly icon: IconName;
  readonly words: string;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { icon, words, open, onToggle } = props;
  return (
    <button type="button" class="brain-fold brain-narrow-only" aria-expanded={open} onClick={onToggle}>
      <Icon name={icon} />
      <span class="brain-cut">{words}</span>
      <Icon name={open ? 'chevron-down' : 'chevron-right'} class="brain-push" />
    </button>
  );
}
