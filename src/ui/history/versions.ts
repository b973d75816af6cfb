import type { Answer, BrainClient } from '../client';
import { clock, day, moment } from '../parts/words';
import { seconds } from '../parts/seconds';

type History = Answer<'history'>;
/** A version as the list of versions names it. */
export type Version = Extract<History, { versions: unknown }>['versions'][number];
/** A version with its text. */
export type WholeVersion = Extract<History, { content: string }>;

/** The versions of a note, newest first. @throws CallError */
export async function readVersions(client: BrainClient, path: string): Promise<readonly Version[]> {
  const answer = await client.call('history', { path });
  return 'versions' in answer ? answer.versions : [];
}

/** One version whole. @throws CallError `note_not_found` when its bytes are kept no more. */
export async function readVersion(client: BrainClient, hash: string): Promise<WholeVersion> {
  const answer = await client.call('history', { hash });
  if ('content' in answer) return answer;
  throw new Error('The service listed versions where one was asked for.');
}

/**
 * What a version is called where there is little room: its day; with the time, to the second if need be, when another
 * version is of the same day; the beginning of its hash when it has no time at all.
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

/** What is compared: two places in the list of versions, where `older` may lie behind its end (nothing was there yet). */
export interface Comparison {
  readonly older: number;
  readonly newer: number;
  /** The version that "revert" would bring back; -1 when there is none. */
  readonly target: number;
}

/**
 * The comparison for a chosen version: with the one before it, or with the version that the person chose to compare from.
 * Reverting brings back the chosen version, or, while the present one is chosen, the one it is compared with.
 */
export function comparisonOf(selected: number, base: number | null, count: number): Comparison {
  const other = base === null || base === selected ? selected + 1 : base;
  const [newer, older] = other < selected ? [other, selected] : [selected, other];
  const target = selected === 0 ? older : selected;
  return { older, newer, target: target > 0 && target < count ? target : -1 };
}
