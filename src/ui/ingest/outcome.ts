import type { FolderAnswer } from '../../core/ingest/ingest-answers';
import type { IngestedPage, IngestResult } from '../../core/ingest/ingest-result';
import { counted } from '../parts/words';

/** As much of the service's answer about one source as a screen shows. */
export type SourceAnswer = Pick<IngestResult, 'extraction' | 'warnings'> & {
  readonly pages: readonly Pick<IngestedPage, 'title' | 'status' | 'path' | 'duplicate_of' | 'warnings'>[];
};

/** A note that a source led to, by its title and where it stands. */
export interface LedTo {
  readonly title: string;
  readonly path: string;
}

/** A file of a folder, or of the inbox, that no note was made of. */
export interface FileFailure {
  readonly name: string;
  readonly message: string;
}

/** What became of a source, or of all files of a folder. */
export interface Outcome {
  readonly written: readonly LedTo[];
  /** Notes that were there already with the same text. */
  readonly duplicates: readonly LedTo[];
  /** Notes that were made of it when it was taken in before. */
  readonly standing: readonly LedTo[];
  /** Titles of pages whose text was rejected before. */
  readonly rejectedBefore: readonly string[];
  /** Pages that had no title. */
  readonly skipped: number;
  /** Sources that were taken in before and have not changed since. */
  readonly unchanged: number;
  readonly failures: readonly FileFailure[];
  readonly warnings: readonly string[];
}

export const NOTHING: Outcome = {
  written: [],
  duplicates: [],
  standing: [],
  rejectedBefore: [],
  skipped: 0,
  unchanged: 0,
  failures: [],
  warnings: [],
};

/** What became of one source. */
export function outcomeOf(answer: SourceAnswer): Outcome {
  const { pages, extraction } = answer;
  const having = (status: IngestedPage['status']) => pages.filter((page) => page.status === status);
  const isKnown = extraction === 'unchanged';
  const same = having('duplicate').flatMap(({ title, duplicate_of: path }) =>
    path === undefined ? [] : [{ title, path }],
  );
  return {
    written: having('written').flatMap(({ title, path }) => (path === undefined ? [] : [{ title, path }])),
    duplicates: isKnown ? [] : same,
    standing: isKnown ? same : [],
    rejectedBefore: having('rejected_before').map(({ title }) => title),
    skipped: having('skipped_empty_title').length,
    unchanged: isKnown ? 1 : 0,
    failures: [],
    warnings: [...new Set([...answer.warnings, ...pages.flatMap(({ warnings }) => warnings)])],
  };
}

/** What became of a folder. */
export function folderOutcome(answer: FolderAnswer): Outcome {
  const all = joined(answer.files.map(outcomeOf));
  const failures = answer.errors.map(({ path, message }) => ({ name: path, message }));
  const passed = answer.skipped.length;
  const warnings =
    passed === 0
      ? []
      : [
          `${counted(passed, 'file')} of kinds that cannot be read now ${passed === 1 ? 'was' : 'were'} passed over.`,
        ];
  return { ...all, failures, warnings: [...warnings, ...all.warnings] };
}

/** Several outcomes as one. A warning that all of them give is said once. */
export function joined(outcomes: readonly Outcome[]): Outcome {
  return {
    written: outcomes.flatMap(({ written }) => written),
    duplicates: outcomes.flatMap(({ duplicates }) => duplicates),
    standing: outcomes.flatMap(({ standing }) => standing),
    rejectedBefore: outcomes.flatMap(({ rejectedBefore }) => rejectedBefore),
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    unchanged: outcomes.reduce((sum, { unchanged }) => sum + unchanged, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
    warnings: [...new Set(outcomes.flatMap(({ warnings }) => warnings))],
  };
}

/** What became of it, in one line: `3 notes made, 1 known already, 1 rejected before`. */
export function outcomeWords(outcome: Outcome): string {
  const { written, duplicates, rejectedBefore, skipped, unchanged, failures } = outcome;
  const parts = [
    written.length > 0 && `${counted(written.length, 'note')} made`,
    duplicates.length > 0 && `${duplicates.length} known already`,
    rejectedBefore.length > 0 && `${rejectedBefore.length} rejected before`,
    skipped > 0 && `${skipped} without a title skipped`,
    unchanged > 0 && `${unchanged} unchanged`,
    failures.length > 0 && `${counted(failures.length, 'file')} failed`,
  ].filter((part) => part !== false);
  const isKnown = unchanged === 1 && parts.length === 1;
  const nothing = isKnown ? 'nothing new since it was last ingested' : 'nothing was found to make a note of';
  const words = isKnown || parts.length === 0 ? nothing : parts.join(', ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
