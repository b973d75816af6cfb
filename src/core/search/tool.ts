import * as z from 'zod';
import { BrainError } from '../base/errors';
import { withoutEscapes } from '../gate/escapes';
import { readInput } from '../operation/input';
import { operation } from '../operation/operation';
import { countShape, pathShape, warningsShape } from '../operation/shapes';
import { vaultPath } from '../vocabulary/paths';
import { listNotes } from './list';
import { queryNotes } from './query';

/** The characters of the line that a list shows of a note. */
const LINE = 120;

const { query, ...filters } = queryNotes.input.shape;

/** Searches as `queryNotes`; without a query it lists notes as `listNotes`, the last changed first, with a line of each. */
export const queryTool = operation({
  name: 'query',
  scope: 'read',
  mutates: false,
  early: true,
  input: z.strictObject({ query: query.optional(), ...filters }),
  output: z.looseObject({
    count: countShape,
    results: z.array(z.looseObject({ path: pathShape })),
    warnings: warningsShape.optional(),
  }),
  async run(brain, { query: asked, ...rest }, caller, watch) {
    if (asked !== undefined) return queryNotes.run(brain, { query: asked, ...rest }, caller, watch);
    const { source_type, origin, not_stale, reviewed, wing, hall, under, since, status, ...more } = rest;
    if (source_type !== undefined || origin !== undefined || not_stale || reviewed)
      throw new BrainError(
        'missing_field',
        'Give "query" too: source_type, origin, not_stale and reviewed filter a search, and not the list of notes.',
        { field: 'query' },
      );
    const { include_raw, written_by, limit } = more;
    const asList = { wing, hall, under, since, status, include_raw, written_by, order: 'recent', limit };
    const listed = await listNotes.run(brain, readInput(listNotes.input, asList), caller, watch);
    const results = listed.notes.map(({ changed_at: date, ...note }) => {
      const record = brain.catalog.record(vaultPath(note.path));
      const line = record === undefined ? '' : withoutEscapes(record, record.excerpt).slice(0, LINE);
      return { ...note, date, excerpt: line };
    });
    const { total, reading } = listed;
    return { count: results.length, total, ...(reading && { reading }), results };
  },
});
