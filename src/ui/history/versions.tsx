import type { RefObject } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { Answer, BrainClient, CallError } from '../../core/registry/client';
import { zoneOf } from '../../core/vocabulary/paths';
import { useUi } from '../client/context';
import { compareVersions, type DiffModel } from '../diff/model';
import { useAsync, useCall, useChanges } from '../kit/async';
import { IconButton } from '../kit/controls';
import { Flag } from '../kit/feedback';
import { clock, counted, day, moment, seconds, sizeWords } from '../kit/words';
import { Author } from '../kit/writer';
import { withoutStamps } from './stamps';

type History = Answer<'history'>;
/** A version in the list of versions, without its text. */
export type Version = Extract<History, { versions: unknown }>['versions'][number];
/** A version with its text. */
export type WholeVersion = Extract<History, { content: string }>;

/** Reads the versions of a note, newest first. @throws CallError */
async function readVersions(client: BrainClient, path: string): Promise<readonly Version[]> {
  const answer = await client.call('history', { path });
  return 'versions' in answer ? answer.versions : [];
}

/** Reads one version with its text. @throws CallError `note_not_found` when its bytes are no longer kept. */
export async function readVersion(client: BrainClient, hash: string): Promise<WholeVersion> {
  const answer = await client.call('history', { hash });
  if ('content' in answer) return answer;
  throw new Error('The service listed versions where one was asked for.');
}

/**
 * Returns the shortest name that is unique among the versions: the day; the day and the minute; the day and the second. A
 * version without a time is named by the beginning of its hash.
 */
export function shortName(
  version: Pick<Version, 'hash' | 'updated_at'>,
  all: readonly Version[],
  now: Date,
): string {
  const { updated_at: at, hash } = version;
  if (at === undefined) return hash.slice(0, 8);
  const name = day(at).replace(new RegExp(` ${now.getFullYear()}$`), '');
  const others = all.filter((other) => other.hash !== hash).map((other) => other.updated_at ?? '');
  const isAlone = (words: (time: string) => string): boolean =>
    others.every((other) => words(other) !== words(at));
  if (isAlone(day)) return name;
  return `${name}, ${isAlone(moment) ? clock(at) : seconds(at)}`;
}

/** Returns a time to the second, for several versions may be of one minute: `14 Nov 2026, 09:12:05`. */
export function timeWords(time: string): string {
  return `${day(time)}, ${seconds(time)}`;
}

/** Indices into the list of versions. `older` may be its length: before the oldest version there was no text. */
interface Comparison {
  readonly older: number;
  readonly newer: number;
  /** The version that "revert" would bring back; -1 when there is none. */
  readonly target: number;
}

/**
 * Returns the comparison of the selected version with `base`, or with the one before it when `base` is null. "Revert" brings
 * back the selected version, or the other side while the present version is selected.
 */
export function comparisonOf(selected: number, base: number | null, count: number): Comparison {
  const other = base === null || base === selected ? selected + 1 : base;
  const [newer, older] = other < selected ? [other, selected] : [selected, other];
  const target = selected === 0 ? older : selected;
  return { older, newer, target: target > 0 && target < count ? target : -1 };
}

/** The two sides of a comparison; null before the oldest version, or while no version is selected. */
export interface Compared {
  readonly older: WholeVersion | null;
  readonly newer: WholeVersion | null;
}

interface HistoryState {
  /** Null until the first answer. */
  readonly versions: readonly Version[] | null;
  readonly selected: number;
  readonly base: number | null;
  readonly comparison: Comparison;
  readonly compared: Compared | null;
  readonly model: DiffModel | null;
  readonly error: CallError | null;
  readonly loading: boolean;
  readonly select: (index: number) => void;
  /** Sets the version that others are compared from; null for the one before each. */
  readonly compareFrom: (index: number | null) => void;
  readonly reload: () => void;
}

/** The cache holds at most this many versions. A version never changes, so a cached one is right. */
const MAX_CACHED = 40;

/**
 * Reads the history of a note and compares the selected version. The selection stays with its version while the note
 * changes; a selection of the present version stays with the present one.
 * @param hash the version to begin with; null for the present one
 * @param shown whether properties are compared, and with them the stamps of the service
 */
export function useHistory(
  path: string | null,
  hash: string | null,
  { properties, stamps }: { readonly properties: boolean; readonly stamps: boolean },
): HistoryState {
  const { client } = useUi();
  const cache = useRef(new Map<string, Promise<WholeVersion>>());
  const [chosen, setChosen] = useState<string | null>(hash);
  const [from, setFrom] = useState<string | null>(null);

  const list = useAsync(path, () => readVersions(client, path ?? ''));
  const reload = (): void => list.reload();
  useChanges(reload);

  const versions = list.value;
  const count = versions?.length ?? 0;
  const selected = Math.max(0, versions?.findIndex((version) => version.hash === chosen) ?? 0);
  const found = versions?.findIndex((version) => version.hash === from) ?? -1;
  const base = found < 0 ? null : found;
  const comparison = comparisonOf(selected, base, count);
  const [newHash, oldHash] = [versions?.[comparison.newer]?.hash, versions?.[comparison.older]?.hash];

  const pair = useAsync(
    newHash === undefined ? null : `${oldHash ?? 'nothing'} ${newHash}`,
    async (): Promise<Compared> => {
      const [older, newer] = await Promise.all([
        oldHash === undefined ? null : cachedVersion(cache.current, client, oldHash),
        newHash === undefined ? null : cachedVersion(cache.current, client, newHash),
      ]);
      return { older, newer };
    },
    // The old comparison stays until the next one is there; its head names its versions.
    { keep: true },
  );
  const compared = pair.value;
  const model = useMemo(() => {
    if (compared?.newer === undefined || compared.newer === null) return null;
    const whole = compareVersions(compared.older ?? { content: '', body: '' }, compared.newer, {
      properties,
    });
    return stamps || !properties ? whole : withoutStamps(whole, compared);
  }, [compared, properties, stamps]);

  return {
    versions,
    selected,
    base,
    comparison,
    compared,
    model,
    error: list.error ?? pair.error,
    loading: list.loading || pair.loading,
    select: (index) => setChosen(index === 0 ? null : (versions?.[index]?.hash ?? null)),
    compareFrom: (index) => setFrom(index === null ? null : (versions?.[index]?.hash ?? null)),
    reload,
  };
}

function cachedVersion(
  cache: Map<string, Promise<WholeVersion>>,
  client: BrainClient,
  hash: string,
): Promise<WholeVersion> {
  const cached = cache.get(hash);
  if (cached !== undefined) return cached;
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  const reading = readVersion(client, hash).catch((error: unknown) => {
    cache.delete(hash); // A failure is not cached.
    throw error;
  });
  cache.set(hash, reading);
  return reading;
}

/** The versions of a note, newest first: the time, the reason, the writer, and the size of each. */
export function VersionList(props: {
  readonly id: string;
  readonly path: string;
  readonly versions: readonly Version[];
  readonly selected: number;
  /** The index of the version that others are compared from; null when the person chose none. */
  readonly base: number | null;
  readonly listRef: RefObject<HTMLUListElement | null>;
  readonly onSelect: (index: number) => void;
  readonly onOpen: () => void;
  readonly onChoose: () => void;
}) {
  const { id, path, versions, selected, base, listRef, onSelect, onOpen, onChoose } = props;
  // The root note is outside the folders of the service as well, and only its status tells it from a note of the owner.
  const note = useCall('note', zoneOf(path) === 'other' ? { path, max_chars: 1 } : null).value;
  const isOwners = note?.status === 'vault';
  return (
    <section class="brain-list" aria-label="Versions">
      <div class="brain-bar">
        <h2>{counted(versions.length, 'version')}</h2>
        <span class="brain-push brain-small brain-muted brain-cut" title={path}>
          {path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')}
        </span>
        <IconButton icon="external-link" label="Open the note" onClick={onOpen} />
        <IconButton icon="search" label="Choose another note" onClick={onChoose} />
      </div>
      <ul
        id={id}
        ref={listRef}
        class="brain-versions brain-scroll"
        role="listbox"
        aria-label="Versions, newest first"
        tabIndex={0}
        aria-activedescendant={`${id}-${selected}`}
      >
        {versions.map((version, index) => (
          <li
            key={version.hash}
            id={`${id}-${index}`}
            class="brain-entry brain-version"
            role="option"
            aria-selected={index === selected}
            onClick={() => onSelect(index)}
          >
            <div class="brain-row">
              <b class="brain-strong">
                {version.updated_at === undefined ? 'Time not recorded' : timeWords(version.updated_at)}
              </b>
              {index === 0 && <Flag icon="check">Current</Flag>}
              {index === base && <Flag icon="git-fork">Compared from</Flag>}
            </div>
            {reasonOf(version, index === versions.length - 1) !== '' && (
              <span class="brain-version-reason brain-bidi brain-small brain-muted">
                {reasonOf(version, index === versions.length - 1)}
              </span>
            )}
            <div class="brain-entry-meta brain-item-meta">
              <Author isOwners={isOwners} origin={version.origin} writtenBy={version.written_by} />
              <span class="brain-count brain-version-size">{sizeWords(version.bytes)}</span>
            </div>
          </li>
        ))}
      </ul>
      <p class="brain-past-note">
        {isOwners
          ? 'A note of your own: no agent changes it, and the service keeps no versions of what you write yourself.'
          : 'Edits that you make by hand are not versions: what stood there is kept when the service next changes the note.'}
      </p>
    </section>
  );
}

function reasonOf({ reason }: Version, isFirst: boolean): string {
  return reason ?? (isFirst ? 'The oldest that is kept' : '');
}
