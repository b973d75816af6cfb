import { parseWriter } from '../parts/writer-name';
import type { Entry } from './entry';

/** How a page that came in through the pipeline was made of its source, in a sentence without its stop. */
export function madeWords({ extraction, written_by: writtenBy = '' }: Entry): string {
  switch (extraction) {
    case undefined:
      return '';
    case 'llm': {
      const { via } = parseWriter(writtenBy);
      return `by ${via ?? 'a language model'}, from a part of the source`;
    }
    case 'passthrough':
      return 'passed through: the text of the source, as it is';
    case 'structured':
      return 'given as a page by whoever sent it';
  }
}
