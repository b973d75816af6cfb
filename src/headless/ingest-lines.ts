import type { FileAnswer, FolderAnswer } from '../core/ingest/ingest-answers';
import type { IngestedPage, IngestResult } from '../core/ingest/ingest-result';
import type { JobState } from '../core/ingest/jobs';
import type { JobOutcome } from './follow-job';
import { counted, oneLine, remarks } from './output';

const HOW: Readonly<Record<IngestResult['extraction'], string>> = {
  llm: 'by the language model',
  passthrough: 'as it is',
  structured: 'as given',
  unchanged: 'known already, nothing done',
};

export function isJob(value: JobState | JobOutcome): value is JobState {
  return 'job' in value;
}

export function isFolder(outcome: JobOutcome): outcome is FolderAnswer {
  return 'skipped' in outcome;
}

/** What became of a text, a file or a folder, as lines for a person. */
export function outcomeLines(outcome: JobOutcome, dryRun: boolean): string[] {
  if (!isFolder(outcome)) return sourceLines(outcome, dryRun);
  const { files, ingested, unchanged, skipped, failed } = outcome.counts;
  return [
    ...outcome.files
      .filter(({ extraction }) => extraction !== 'unchanged')
      .flatMap((file) => sourceLines(file, dryRun)),
    ...outcome.skipped.map((file) => `${oneLine(file)}: skipped, of a kind that is not read`),
    ...outcome.errors.map(({ path, code, message }) => `${oneLine(path)}: ${oneLine(message)} (${code})`),
    `${counted(files, 'file')}: ${ingested} ingested, ${unchanged} known already, ${skipped} skipped, ${failed} failed`,
  ];
}

function sourceLines(answer: IngestResult | FileAnswer, dryRun: boolean): string[] {
  const { extraction, pages, original, warnings } = answer;
  const name = 'file' in answer ? answer.file : (answer.source ?? 'Text');
  return [
    `${oneLine(name)}: ${extraction === 'unchanged' ? HOW.unchanged : `${counted(pages.length, 'page')}, ${HOW[extraction]}`}`,
    ...pages.flatMap((page) => pageLines(page, dryRun)),
    ...(original === undefined ? [] : [`  original: ${oneLine(original)}`]),
    ...warnings.map((warning) => `  warning: ${oneLine(warning)}`),
  ];
}

function pageLines(page: IngestedPage, dryRun: boolean): string[] {
  const title = oneLine(page.title);
  const path = oneLine(page.path ?? page.duplicate_of ?? '');
  const lines: Readonly<Record<IngestedPage['status'], string>> = {
    written: `  ${dryRun ? 'would write' : 'wrote'} ${path}  ${title}`,
    duplicate: `  says what ${path} says  ${title}`,
    rejected_before: `  rejected before  ${title}`,
    skipped_empty_title: '  skipped: a page without a title',
  };
  return [
    lines[page.status],
    ...page.similar.map((similar) => `    similar: ${oneLine(similar.path)}`),
    ...remarks(page).map((line) => `  ${line}`),
  ];
}
