import { useRef, useState } from 'preact/hooks';
import { HALL_TITLES, isHall } from '../../core/vocabulary/address';
import { countFacets, type Facets, type Status } from '../found/facets';
import type { Asked, SourceType } from '../found/use-search';
import { IconButton, Menu } from '../kit/controls';
import { Icon } from '../kit/icons';
import { count } from '../kit/words';
import { parseWriter } from '../kit/writer';

/** A value of a facet. The empty value stands for all. */
interface Choice {
  readonly value: string;
  readonly label: string;
  /** Absent where results do not have the field. */
  readonly count?: number;
}

/** A facet, ready to render. */
interface FacetView {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** The chosen value; empty for all. */
  readonly value: string;
  /** Returns the change of the request when a value is chosen. */
  readonly choose: (value: string) => Partial<Asked>;
}

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  wiki: 'Reviewed',
  knowledge: 'Knowledge',
  raw: 'Not reviewed',
  vault: 'Your notes',
  attachment: 'PDF files and canvases',
};
const SOURCE_WORDS: Readonly<Record<SourceType, string>> = {
  internal: 'Own work',
  external: 'External source',
};

/** Returns the facets of place: wing and hall. */
export function placeFacets(facets: Facets, asked: Asked): readonly FacetView[] {
  return [
    {
      label: 'Wing',
      choices: [
        { value: '', label: 'All wings', count: facets.wings.all },
        ...wingChoices(facets.wings.values),
      ],
      value: asked.wing ?? '',
      choose: (value) => ({ wing: value === '' ? null : value }),
    },
    {
      label: 'Hall',
      choices: [
        { value: '', label: 'All halls', count: facets.halls.all },
        ...facets.halls.values.map(({ value, count }) => ({ value, label: HALL_TITLES[value], count })),
      ],
      value: asked.hall ?? '',
      choose: (value) => ({ hall: isHall(value) ? value : null }),
    },
  ];
}

/** Returns the facets of trust: writer, review status and source. */
export function trustFacets(facets: Facets, asked: Asked): readonly FacetView[] {
  return [
    {
      label: 'Written by',
      choices: [
        { value: '', label: 'Anyone', count: facets.writers.all },
        ...facets.writers.values.map(({ value, count }) => ({ value, label: writerWords(value), count })),
      ],
      value: asked.writer ?? '',
      choose: (value) => ({ writer: value === '' ? null : value }),
    },
    {
      label: 'State',
      choices: [
        { value: '', label: 'Any state', count: facets.statuses.all },
        ...facets.statuses.values.map(({ value, count }) => ({ value, label: STATUS_WORDS[value], count })),
      ],
      value: asked.status ?? '',
      choose: (value) => ({ status: parseKey(STATUS_WORDS, value) }),
    },
    {
      label: 'Source',
      choices: [
        { value: '', label: 'Any source' },
        { value: 'internal', label: SOURCE_WORDS.internal },
        { value: 'external', label: SOURCE_WORDS.external },
      ],
      value: asked.source ?? '',
      choose: (value) => ({ source: parseKey(SOURCE_WORDS, value) }),
    },
  ];
}

function wingChoices(values: Facets['wings']['values']): Choice[] {
  return values.map(({ value, count }) => ({ value, label: value, count }));
}

function writerWords(writer: string): string {
  const { name, via } = parseWriter(writer);
  return via === undefined ? name : `${name} via ${via}`;
}

function parseKey<Key extends string>(words: Readonly<Record<Key, string>>, value: string): Key | null {
  return isKeyIn(words, value) ? value : null;
}

function isKeyIn<Key extends string>(words: Readonly<Record<Key, string>>, value: string): value is Key {
  return Object.hasOwn(words, value);
}

interface FacetGroupProps {
  readonly facet: FacetView;
  /** False while there are no results to count. */
  readonly counts: boolean;
  /** True when more notes may fit than were counted: each count is then a lower bound. */
  readonly isCut: boolean;
  readonly onChoose: (value: string) => void;
}

/** A facet as a radio group. */
function FacetGroup({ facet: { label, choices, value }, counts, isCut, onChoose }: FacetGroupProps) {
  const group = useRef<HTMLDivElement>(null);
  const at = Math.max(
    choices.findIndex((choice) => choice.value === value),
    0,
  );
  const move = (event: KeyboardEvent, step: number): void => {
    const next = (at + step + choices.length) % choices.length;
    event.preventDefault();
    event.stopPropagation();
    onChoose(choices[next]?.value ?? '');
    group.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div
      ref={group}
      role="radiogroup"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowRight') move(event, 1);
        if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') move(event, -1);
      }}
    >
      <h2>{label}</h2>
      {choices.map((choice, index) => (
        <button
          key={choice.value}
          type="button"
          class="brain-facet"
          role="radio"
          aria-checked={index === at}
          tabIndex={index === at ? 0 : -1}
          onClick={() => onChoose(choice.value)}
        >
          <span class="brain-cut">{choice.label}</span>
          {counts && choice.count !== undefined && (
            <span class="brain-count brain-push">{countWords(choice.count, isCut)}</span>
          )}
        </button>
      ))}
    </div>
  );
}

/** A facet as a menu, for a narrow pane. */
function FacetMenu({ facet: { label, choices, value }, counts, isCut, onChoose }: FacetGroupProps) {
  const optionWords = ({ value: of, label: words, count: found }: Choice): string =>
    of === '' || !counts || found === undefined ? words : `${words} (${countWords(found, isCut)})`;
  return (
    <Menu
      class="mod-facet"
      aria-label={label}
      value={value}
      options={choices.map((choice) => ({ value: choice.value, label: optionWords(choice) }))}
      onChange={onChoose}
    />
  );
}

/** Returns a count; `12+` for a lower bound. */
function countWords(number: number, isCut: boolean): string {
  return isCut && number > 0 ? `${count(number)}+` : count(number);
}

interface FacetPanelProps {
  /** True when more notes may fit the query than were counted. */
  readonly isCut: boolean;
  /** Null while there are no results to count. */
  readonly facets: Facets | null;
  readonly asked: Asked;
  readonly onChange: (change: Partial<Asked>) => void;
}

/** The filters of the search, with counts. A narrow pane has menus, and folds those of trust. */
export function FacetPanel({ facets: known, isCut, asked, onChange }: FacetPanelProps) {
  const facets = known ?? countFacets([], asked);
  const counts = known !== null;
  const places = placeFacets(facets, asked);
  const trust = trustFacets(facets, asked);
  const [unfolded, setUnfolded] = useState(hasTrustFilter(asked));
  const setRaw = (raw: boolean): void =>
    onChange({ raw, ...(!raw && asked.status === 'raw' && { status: null }) });
  const facetProps = (facet: (typeof places)[number]) => ({
    facet,
    counts,
    isCut,
    onChoose: (value: string) => onChange(facet.choose(value)),
  });
  return (
    <div class="brain-facets" role="group" aria-label="Narrow the search">
      {places.map((facet) => (
        <FacetGroup key={facet.label} {...facetProps(facet)} />
      ))}
      <div role="group" aria-label="Show">
        <h2>Show</h2>
        <Switch label="Only fresh" on={asked.fresh} onChange={(fresh) => onChange({ fresh })} />
        <Switch label="The review queue" on={asked.raw} onChange={setRaw} />
      </div>
      {trust.map((facet) => (
        <FacetGroup key={facet.label} {...facetProps(facet)} />
      ))}
      <div class="brain-narrow-only brain-row">
        {places.map((facet) => (
          <FacetMenu key={facet.label} {...facetProps(facet)} />
        ))}
        <IconButton
          icon="inbox"
          label="Search the review queue too"
          aria-pressed={asked.raw}
          onClick={() => setRaw(!asked.raw)}
        />
        <IconButton
          icon="sliders-horizontal"
          label="More filters"
          aria-expanded={unfolded}
          onClick={() => setUnfolded(!unfolded)}
        />
      </div>
      {unfolded && (
        <div class="brain-narrow-only brain-row mod-wrap">
          {trust.map((facet) => (
            <FacetMenu key={facet.label} {...facetProps(facet)} />
          ))}
          <Switch label="Only fresh" on={asked.fresh} onChange={(fresh) => onChange({ fresh })} />
        </div>
      )}
    </div>
  );
}

/** Returns true when a filter of trust is set. */
export function hasTrustFilter({ writer, status, source, fresh }: Asked): boolean {
  return writer !== null || status !== null || source !== null || fresh;
}

/** A checkbox of the filters. */
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
