import { useState } from 'preact/hooks';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import type { IconName } from '../parts/icons';
import { Notice } from '../parts/notice';
import { age, counted } from '../parts/words';
import { Writer } from '../parts/writer';
import { Facts } from './facts';
import { findingsOf, findingWords, isCut } from './gate-findings';
import { GatePanel } from './gate-panel';
import { NoteSteps } from './note-steps';
import { PromoteForm } from './promote-form';
import { RejectForm } from './reject-form';
import type { QueueScreenModel } from './use-queue-screen';
import { SimilarNotes } from './similar-notes';

/** What is known about a note and the decision on it: facts, similar notes, gate, form, always at the same spot. */
export function DecisionPane({ model }: { readonly model: QueueScreenModel }) {
  const { state, problem, note, gate, draft, entry, gone, refs, commands } = model;
  const { host } = useUi();
  const [factsOpen, setFactsOpen] = useState(false);
  const [similarOpen, setSimilarOpen] = useState(false);
  if (entry === null || draft === null) return <section class="brain-decision" aria-label="Decision" />;
  const gateRefs = gate.value?.refs ?? [];
  const findings = findingsOf(gateRefs);
  const { gateOpen } = model;
  const ageWords = age(entry.created_at, host.now());
  return (
    <section class="brain-decision" aria-label="Decision">
      <div class="brain-bar">
        <h2>Decide</h2>
        <NoteSteps model={model} />
      </div>
      <div class="brain-info brain-scroll" tabIndex={0} role="region" aria-label="About this note">
        <h2 class="brain-narrow-title brain-narrow-only">{entry.title}</h2>
        <div class="brain-row brain-narrow-only brain-between">
          <Writer origin={entry.origin} writtenBy={entry.written_by} />
          <button
            type="button"
            class="brain-plain"
            aria-expanded={factsOpen}
            onClick={() => setFactsOpen(!factsOpen)}
          >
            {ageWords === 'now' ? 'Just now' : `${ageWords} ago`}
            <Icon name={factsOpen ? 'chevron-up' : 'chevron-down'} />
          </button>
        </div>
        {entry.warnings.length > 0 && (
          <Notice tone="amber">
            {entry.warnings.map((warning) => (
              <p key={warning}>{warning}</p>
            ))}
          </Notice>
        )}
        <section class={factsOpen ? undefined : 'brain-wide-only'} aria-label="Provenance">
          <Facts
            entry={entry}
            note={note.value}
            onReExtract={entry.can_re_extract && !gone ? commands.reExtract : null}
          />
        </section>
        {entry.similar.length > 0 && (
          <Fold
            icon="copy"
            words={counted(entry.similar.length, 'similar note')}
            open={similarOpen}
            onToggle={() => setSimilarOpen(!similarOpen)}
          />
        )}
        {entry.similar.length > 0 && (
          <section class={similarOpen ? undefined : 'brain-wide-only'} aria-label="Similar notes">
            <SimilarNotes similar={entry.similar} onCompare={commands.compareWith} />
          </section>
        )}
        {findings.length > 0 && (
          <Fold
            icon="shield"
            words={`Gate: ${findingWords(findings, isCut(gateRefs))}`}
            open={gateOpen}
            onToggle={commands.toggleGate}
          />
        )}
        <section
          class={gateOpen ? undefined : 'brain-wide-only'}
          aria-label="Gate"
          tabIndex={-1}
          ref={refs.gate}
        >
          <GatePanel
            key={entry.path}
            gate={gate}
            draft={draft}
            wings={model.wings}
            onChoose={commands.chooseLink}
          />
        </section>
      </div>
      {state.mode === 'reject' ? (
        <RejectForm
          verb="Reject"
          reason={model.reason}
          error={problem}
          areaRef={refs.reason}
          onReason={model.setReason}
          onReject={commands.reject}
          onCancel={commands.cancelReject}
        />
      ) : (
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
          onPromote={commands.promote}
          onReject={commands.startReject}
          onCompare={commands.compareWith}
          onUnfold={commands.unfold}
        />
      )}
    </section>
  );
}

/** In a narrow pane, a section folded to one line. */
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
