import * as z from 'zod';
import { BrainError } from '../base/errors';
import { linkedPath } from '../notes/targets';
import { pathField } from '../operation/fields';
import { operation } from '../operation/operation';
import { findingShape, harmlessShape } from '../operation/sent';
import { countShape, hashShape, pathShape, warningsShape } from '../operation/shapes';

/**
 * Reads the text of a queued note as it was sent, with what the gate made harmless in it. The text is absent when it was longer than
 * what is kept; a warning says so. Fails with `note_not_found` when the gate changed nothing of the note, or nothing is kept any more.
 */
export const readSent = operation({
  name: 'sent',
  scope: 'review',
  // It is the text of a note.
  besides: 'read',
  mutates: false,
  input: z.strictObject({ path: pathField }),
  output: z.object({
    path: pathShape,
    content_hash: hashShape.describe('The note as it came in, 64 hex digits'),
    sent_at: z.string().describe('RFC 3339, UTC'),
    ...harmlessShape.shape,
    findings: z.array(findingShape),
    bytes: countShape.describe('Of the text and the fields as sent'),
    text: z.string().optional().describe('The content as sent; of a document the text that was read from it'),
    fields: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Fields of the call that become properties'),
    warnings: warningsShape,
  }),
  async run(brain, { path: given }) {
    const path = linkedPath(brain, given);
    const note = brain.catalog.record(path);
    const { sent } = brain.whole;
    const kept = note && (await sent.look())(note);
    const rest = kept && (await sent.read(kept.hash));
    if (!kept || !rest) {
      throw new BrainError(
        'note_not_found',
        `Nothing is kept of ${path} as it was sent: it is not in the queue, or the gate changed nothing of it when it came in.`,
        { path },
      );
    }
    const { hash, at, ...told } = kept;
    const warnings = [
      ...(rest.text === undefined
        ? [`The text as sent has ${kept.bytes} bytes and was not kept, because that is more than 1 MiB.`]
        : []),
      ...(kept.changed
        ? ['The note has changed since it came in: this is the last text that is known.']
        : []),
    ];
    return { path, content_hash: hash, sent_at: at, ...told, ...rest, warnings };
  },
});
