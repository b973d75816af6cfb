import Papa from 'papaparse';
import { CUT_WARNING, joinWithin, markdownTables, textCell } from './markup';
import type { ReadText } from './protocol';

/** The delimiters of a `.csv` file; the first one is the default. */
const DELIMITERS = [',', ';', '\t', '|'];

/** Converts comma-separated (or otherwise delimited) or tab-separated values to Markdown tables. */
export function readTable(text: string, name: string): ReadText {
  const isTabs = name.toLowerCase().endsWith('.tsv');
  const { data, errors } = Papa.parse<string[]>(text, {
    delimiter: isTabs ? '\t' : '',
    delimitersToGuess: DELIMITERS,
    skipEmptyLines: 'greedy',
  });
  const warnings: string[] = [];
  const broken = errors.filter(({ type }) => type === 'Quotes').length;
  if (broken > 0)
    warnings.push(
      `${broken === 1 ? 'One value has' : `${broken} values have`} a quotation mark too many or too few; compare the table with the original.`,
    );
  const { text: markdown, isCut } = joinWithin(data.length === 0 ? [] : markdownTables(data, textCell));
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, warnings };
}
