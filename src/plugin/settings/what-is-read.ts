import type { App } from 'obsidian';
import { exclusionsOf } from '../../adapters/obsidian/storage';
import { readScopeOf } from '../../core/documents/paths';
import { zoneOf } from '../../core/vocabulary/paths';
import { type Excluded, MEND_SETTINGS } from '../../core/vocabulary/read-scope';
import { effectiveSetting } from './rules';

// This module is loaded on demand: the app starts without it.

/** What the settings of the service and of the app say about the notes of the owner. */
export interface WhatIsRead {
  readonly scope: 'vault' | 'brain';
  /** The environment variable that decides the scope; undefined when the settings do. */
  readonly variable?: string;
  /** The number of notes of the owner that the scope `vault` reads. */
  readonly notes: number;
  /** The number of notes of the owner that are left out of it. */
  readonly leftOut: number;
  /** The places that are left out, each with the setting that says so. */
  readonly excluded: readonly Excluded[];
  /** The files of the app's settings that cannot be read, each with the reason. No note of the owner is read meanwhile. */
  readonly unread: readonly string[];
}

/**
 * Counts the notes of the owner that are read and those that are left out, from the names of the files and the settings of the
 * app.
 */
export async function whatIsRead(
  { vault }: Pick<App, 'vault'>,
  env: Readonly<Record<string, string | undefined>>,
  saved: Readonly<Record<string, unknown>>,
): Promise<WhatIsRead> {
  const app = await exclusionsOf(vault);
  const { value, variable } = effectiveSetting('readScope', env, saved);
  const exclude = effectiveSetting('exclude', env, saved).value;
  const rootNote = String(effectiveSetting('rootNote', env, saved).value);
  const watchDir = String(effectiveSetting('watchDir', env, saved).value);
  const whole = { readScope: 'vault', exclude: [], rootNote, watchDir } as const;
  const everything = readScopeOf(whole);
  const scope = readScopeOf({ ...whole, exclude: Array.isArray(exclude) ? exclude.map(String) : [] }, app);
  const owners = vault
    .getMarkdownFiles()
    .map(({ path }) => path)
    .filter((path) => zoneOf(path) === 'other' && !everything.leavesOut(path));
  const notes = owners.filter((path) => !scope.excludes(path)).length;
  return {
    scope: value === 'brain' ? 'brain' : 'vault',
    ...(variable !== undefined && { variable }),
    notes,
    leftOut: owners.length - notes,
    excluded: scope.excluded,
    unread: scope.unread,
  };
}

const WHY: Readonly<Record<Excluded['by'], string>> = {
  exclude: 'the setting “Left out”',
  'excluded files of Obsidian': 'Excluded files of Obsidian',
  'template folder': 'a template folder',
};

/** Says for a scope how many notes of the owner are read or are not: `412 notes of yours are read.` */
export function scopeWords({ notes }: Pick<WhatIsRead, 'notes'>, scope: WhatIsRead['scope']): string {
  const yours = `${notes.toLocaleString('en')} ${notes === 1 ? 'note of yours is' : 'notes of yours are'}`;
  return scope === 'vault' ? `${yours} read.` : `${yours} outside what is read.`;
}

/** Says which places are left out and by which setting, or that this is unknown; empty when there are none. */
export function excludedWords({
  excluded,
  leftOut,
  unread,
}: Pick<WhatIsRead, 'excluded' | 'leftOut' | 'unread'>): string {
  if (unread.length > 0)
    return `No note of yours is read now, because ${unread.join(' and ')}. ${MEND_SETTINGS}`;
  if (excluded.length === 0) return '';
  const notes = `${leftOut.toLocaleString('en')} ${leftOut === 1 ? 'note' : 'notes'}`;
  return `Left out (${notes}): ${excluded.map(({ what, by }) => `${what} (${WHY[by]})`).join(', ')}.`;
}
