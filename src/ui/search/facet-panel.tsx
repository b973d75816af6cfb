import { useState } from 'preact/hooks';
import { Icon } from '../parts/icon';
import { placeFacets, trustFacets } from './facet-choices';
import { FacetGroup, FacetMenu } from './facet-group';
import { countFacets, type Facets } from './facets';
import type { Asked } from './use-search';

interface Props {
  /** Null while nothing is found, and then there is nothing to count. */
  readonly facets: Facets | null;
  readonly asked: Asked;
  readonly onChange: (change: Partial<Asked>) => void;
}

/** What narrows a search: place, trust and freshness, with their counts. In a narrow pane menus, the rarer ones folded. */
export function FacetPanel({ facets: known, asked, onChange }: Props) {
  const facets = known ?? countFacets([], asked);
  const counts = known !== null;
  const places = placeFacets(facets, asked);
  const trust = trustFacets(facets, asked);
  const [unfolded, setUnfolded] = useState(isTrustAsked(asked));
  const setRaw = (raw: boolean): void =>
    onChange({ raw, ...(!raw && asked.status === 'raw' && { status: null }) });
  const shared = (facet: (typeof places)[number]) => ({
    facet,
    counts,
    onChoose: (value: string) => onChange(facet.choose(value)),
  });
  return (
    <div class="brain-facets" role="group" aria-label="Narrow the search">
      {places.map((facet) => (
        <FacetGroup key={facet.label} {...shared(facet)} />
      ))}
      <div role="group" aria-label="Show">
        <h2>Show</h2>
        <Switch label="Only fresh" on={asked.fresh} onChange={(fresh) => onChange({ fresh })} />
        <Switch label="The review queue" on={asked.raw} onChange={setRaw} />
      </div>
      {trust.map((facet) => (
        <FacetGroup key={facet.label} {...shared(facet)} />
      ))}
      <div class="brain-narrow-only brain-row">
        {places.map((facet) => (
          <FacetMenu key={facet.label} {...shared(facet)} />
        ))}
        <button
          type="button"
          class="clickable-icon"
          aria-label="Search the review queue too"
          aria-pressed={asked.raw}
          onClick={() => setRaw(!asked.raw)}
        >
          <Icon name="inbox" />
        </button>
        <button
          type="button"
          class="clickable-icon"
          aria-label="More filters"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        >
          <Icon name="sliders-horizontal" />
        </button>
      </div>
      {unfolded && (
        <div class="brain-narrow-only brain-row mod-wrap">
          {trust.map((facet) => (
            <FacetMenu key={facet.label} {...shared(facet)} />
          ))}
          <Switch label="Only fresh" on={asked.fresh} onChange={(fresh) => onChange({ fresh })} />
        </div>
      )}
    </div>
  );
}

/** Whether the search is narrowed by how far notes can be trusted. */
export function isTrustAsked({ writer, status, source, fresh }: Asked): boolean {
  return writer !== null || status !== null || source !== null || fresh;
}

/** A switch of what is searched or shown. */
function Switch(props: {
  readonly label: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <button
      type="button"
      class="brain-facet"
      role="checkbox"
      aria-checked={props.on}
      onClick={() => props.onChange(!props.on)}
    >
      <span class="brain-box">
        <Icon name="check" />
      </span>
      {props.label}
    </button>
  );
}
