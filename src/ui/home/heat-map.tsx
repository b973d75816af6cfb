import type { Answer } from '../../core/registry/client';
import { HALL_TITLES, HALLS } from '../../core/vocabulary/address';
import { ScreenLink } from '../kit/screen-link';
import { count, counted } from '../kit/words';

/** The least number of notes that the shades are scaled to, so that few notes look like few. */
const LEAST_TOP = 12;
/** The share of the fullest cell at which each further shade begins. */
const SHARES = [0.22, 0.44, 0.7];

/** The classes of the shades, by level. */
const SHADES = ['mod-shade-0', 'mod-shade-1', 'mod-shade-2', 'mod-shade-3', 'mod-shade-4'];

/** Returns the least number of notes of each of the four shades, the lightest first. */
export function heatSteps(fullest: number): readonly number[] {
  const top = Math.max(fullest, LEAST_TOP);
  return [1, ...SHARES.map((share) => Math.ceil(top * share))];
}

/** Returns the shade of a cell: 0 for an empty one, else 1 to 4. */
export function heatLevel(notes: number, steps: readonly number[]): number {
  return steps.filter((step) => notes >= step).length;
}

type Wing = Answer<'wings'>['wings'][number];

/** The heat map of notes by wing and hall. Each cell links to its notes. */
export function HeatMap({ wings }: { readonly wings: readonly Wing[] }) {
  const steps = heatSteps(Math.max(0, ...wings.flatMap(({ halls }) => HALLS.map((hall) => halls[hall]))));
  return (
    <section class="brain-panel" aria-label="Notes by wing and hall">
      <div class="brain-panel-head">
        <h2 class="brain-heading">Notes by wing and hall</h2>
        <span class="brain-push" />
        <HeatKey darkest={steps[3] ?? 0} />
      </div>
      <div>
        <table class="brain-heat">
          <thead>
            <tr>
              <th scope="col">Wing</th>
              {HALLS.map((hall) => (
                <th key={hall} scope="col">
                  <span class="brain-wide-only">{HALL_TITLES[hall]}</span>
                  <abbr class="brain-narrow-only" title={HALL_TITLES[hall]}>
                    {HALL_TITLES[hall].slice(0, 3)}
                  </abbr>
                </th>
              ))}
              <th scope="col" class="mod-sum">
                All
              </th>
              <th scope="col" class="mod-sum">
                Stale
              </th>
            </tr>
          </thead>
          <tbody>
            {wings.map((wing) => (
              <WingRow key={wing.wing} wing={wing} steps={steps} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function WingRow({ wing: { wing, halls, notes, stale }, steps }: { wing: Wing; steps: readonly number[] }) {
  return (
    <tr>
      <th scope="row" title={wing}>
        <ScreenLink screen="search" params={{ wing }}>
          {wing}
        </ScreenLink>
      </th>
      {HALLS.map((hall) => (
        <td key={hall} class={SHADES[heatLevel(halls[hall], steps)]}>
          {halls[hall] === 0 ? (
            0
          ) : (
            <ScreenLink
              screen="search"
              params={{ wing, hall }}
              label={`${counted(halls[hall], 'note')} in ${wing}, ${HALL_TITLES[hall]}`}
            >
              {count(halls[hall])}
            </ScreenLink>
          )}
        </td>
      ))}
      <td class="mod-sum">{count(notes)}</td>
      <td class="mod-sum">{count(stale)}</td>
    </tr>
  );
}

function HeatKey({ darkest }: { readonly darkest: number }) {
  return (
    <span class="brain-key brain-heat-key brain-wide-only" aria-hidden="true">
      <span>1</span>
      <i class="mod-shade-1" />
      <i class="mod-shade-2" />
      <i class="mod-shade-3" />
      <i class="mod-shade-4" />
      <span>{count(darkest)} and more</span>
    </span>
  );
}
