import * as z from 'zod';
import { operation } from '../operation';
import { fold, zoneOf } from '../rules/paths';
import { pathShape } from '../shapes';

/** Longest beginning of a path that is looked at, in UTF-16 units. */
const MAX_TYPED = 1000;
const NOTE_ZONES: ReadonlySet<string> = new Set(['wiki', 'knowledge', 'raw']);

/** The paths of notes that can be read and begin with what was typed, in any case, sorted; derived maps are left out. */
export const completePath = operation({
  name: 'complete_path',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ typed: z.string().max(MAX_TYPED) }),
  output: z.object({ paths: z.array(pathShape) }),
  async run(brain, { typed }) {
    const beginning = fold(typed);
    const paths = brain.catalog
      .pathsBelow('')
      .filter((path) => NOTE_ZONES.has(zoneOf(path)) && /\.md$/i.test(path) && !/\/_index\.md$/.test(path))
      .filter((path) => fold(path).startsWith(beginning));
    return { paths };
  },
});
