import { HALL_TITLES, isHall } from '../../core/rules/hall';
import { parseWriter } from '../parts/writer-name';
import type { Facets, Status } from './facets';
import type { Asked, SourceType } from './use-search';

/** A value that a facet can take; an empty one stands for all. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Left out where the found notes do not tell. */
  readonly count?: number;
}

/** A facet as the person sees it. */
export interface FacetView {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** Empty for all. */
  readonly value: string;
  /** What choosing it changes of the question. */
  readonly choose: (value: string) => Partial<Asked>;
}

const STATUS_WORDS: Readonly<Record<Status, string>> = {
  wiki: 'Reviewed',
  knowledge: 'Knowledge',
  raw: 'Not reviewed',
};
const SOURCE_WORDS: Readonly<Record<SourceType, string>> = {
  internal: 'Own work',
  external: 'External source',
};

/** Where a note stands: wing and hall. */
export function placeFacets(facets: Facets, asked: Asked): readonly FacetView[] {
  return [
    {
      label: 'Wing',
      choices: [{ value: '', label: 'All wings', count: facets.wings.all }, ...named(facets.wings.values)],
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

/** How far a note can be trusted: who wrote it, whether a person has reviewed it, and where it comes from. */
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
      choose: (value) => ({ status: keyIn(STATUS_WORDS, value) }),
    },
    {
      label: 'Source',
      choices: [
        { value: '', label: 'Any source' },
        { value: 'internal', label: SOURCE_WORDS.internal },
        { value: 'external', label: SOURCE_WORDS.external },
      ],
      value: asked.source ?? '',
      choose: (value) => ({ source: keyIn(SOURCE_WORDS, value) }),
    },
  ];
}

function named(values: Facets['wings']['values']): Choice[] {
  return values.map(({ value, count }) => ({ value, label: value, count }));
}

function writerWords(writer: string): string {
  const { name, via } = parseWriter(writer);
  return via === undefined ? name : `${name} via ${via}`;
}

function keyIn<Key extends string>(words: Readonly<Record<Key, string>>, value: string): Key | null {
  return isKeyOf(words, value) ? value : null;
}

function isKeyOf<Key extends string>(words: Readonly<Record<Key, string>>, value: string): value is Key {
  return Object.hasOwn(words, value);
}
