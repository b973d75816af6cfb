import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon';
import type { IconName } from '../parts/icons';
import { FailureNotice } from '../parts/problem';
import type { AsyncState } from '../parts/use-async';
import { CreateNote } from './create-note';
import type { Draft } from './entry';
import { type Finding, findingsOf, findingWords, isCut } from './gate-findings';
import type { GateReport } from './use-note';

const ICONS: Readonly<Record<Finding['kind'], IconName>> = {
  link: 'unlink',
  image: 'image-off',
  address: 'ban',
  active: 'terminal',
};

interface Props {
  readonly gate: AsyncState<GateReport>;
  readonly draft: Draft;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly onChoose: (target: string, path: string | null) => void;
}

/**
 * What the gate finds in the note as it stands: links that lead nowhere, remote images, what could run. For a link without
 * a note one can be made here, and for one with several the right one chosen.
 */
export function GatePanel({ gate, draft, wings, onChoose }: Props) {
  const [open, setOpen] = useState<string | null>(null);
  const { value, error } = gate;
  if (error !== null && value === null) {
    return <FailureNotice error={error} />;
  }
  if (value === null) return null;
  const findings = findingsOf(value.refs);
  if (findings.length === 0) {
    return (
      <p class="brain-row brain-muted">
        <Icon name="shield-check" />
        The gate finds nothing to remove
      </p>
    );
  }
  return (
    <>
      <h2 class="brain-heading">
        <Icon name="shield" />
        Gate finds {findingWords(findings, isCut(value.refs))}
      </h2>
      <ul class="brain-card brain-gate">
        {findings.map((finding) => (
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
  );
}

function Row(
  props: Pick<Props, 'draft' | 'wings' | 'onChoose'> & {
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
