import * as z from 'zod';
import { BrainError } from '../errors';
import { hashField, pathField } from '../fields';
import { operation } from '../operation';
import { parseNote } from '../rules/frontmatter/parse-note';
import { zoneOf } from '../rules/paths';
import { countShape, hashShape, pathShape, timeShape, warningsShape } from '../shapes';
import { findVersion, readStatusShape } from './find-version';
import { givenPath } from './given-path';
import { rootNotePath } from './root-note';
import { rootVersions } from './root-edits';
import { versionOf, versionsOf } from './versions';

const versionShape = z.object({
  hash: hashShape,
  updated_at: timeShape.optional(),
  reason: z.string().optional(),
  origin: z.string().optional(),
  written_by: z.string().optional(),
  bytes: countShape,
});

const output = z.union([
  z.object({ path: pathShape, versions: z.array(versionShape) }),
  versionShape.extend({
    path: pathShape,
    status: readStatusShape,
    content: z.string().describe('The whole file as it was, front matter included'),
    frontmatter: z.record(z.string(), z.unknown()),
    body: z.string(),
    warnings: warningsShape.optional(),
  }),
]);

/**
 * With a path: the versions of a note, newest first, the present one included. With a hash: that version whole.
 * Fails with `note_not_found` when there is no such note or version, with `path_not_allowed` for one that was rejected.
 */
export const history = operation({
  name: 'history',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ path: pathField.optional(), hash: hashField.optional() }),
  output,
  async run(brain, { path: given, hash }) {
    if (given !== undefined && hash !== undefined) {
      throw new BrainError(
        'invalid_field',
        'Give "path" to list the versions of a note, or "hash" to read one version, not both.',
        { field: 'hash' },
      );
    }
    if (given !== undefined) {
      const path = givenPath(brain, given, brain.config.rootNote);
      const zone = zoneOf(path);
      const isRoot = path === (await rootNotePath(brain));
      if (zone !== 'wiki' && zone !== 'knowledge' && zone !== 'raw' && !isRoot) {
        throw new BrainError(
          'path_not_allowed',
          'Only notes in wiki/, knowledge/ and raw/ and the root note have a history.',
          { path },
        );
      }
      const text = await brain.vault.read(path);
      if (text === null) throw new BrainError('note_not_found', `There is no note at ${path}.`, { path });
      const versions = [];
      const chain = isRoot ? rootVersions(brain, path, text) : versionsOf(brain.state, text);
      for await (const { text: _, ...version } of chain) versions.push(version);
      return { path, versions };
    }
    if (hash === undefined) {
      throw new BrainError(
        'missing_field',
        'Give "path" to list the versions of a note, or "hash" to read one version.',
        { field: 'path' },
      );
    }
    const { path, status, text: content } = await findVersion(brain, hash);
    const version = versionOf(content);
    const { frontmatter, body, problem } = parseNote(content);
    const warnings = problem === null ? {} : { warnings: [problem] };
    return { ...version, path, status, content, frontmatter: { ...frontmatter }, body, ...warnings };
  },
});
