import * as z from 'zod';
import { dryRunField, hallField, MAX_TITLE, wingField } from '../operation/fields';
import { operation } from '../operation/operation';
import { openContent } from '../frontmatter/compose';
import { writeResultShape } from '../operation/shapes';
import { checkContent } from './content';
import { hallOf, withLineBreaks } from './opening';
import { placeNote } from './write';

const input = z.strictObject({
  text: z.string().describe('What to remember, in Markdown'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  title: z.string().max(MAX_TITLE).optional(),
  tags: z.array(z.string().min(1).max(100)).max(50).optional(),
  source: z.string().max(2000).optional().describe('URL or label of where it comes from'),
  dry_run: dryRunField,
});

/** A source on the web. */
const WEB = /^https?:\/\//i;

/**
 * Writes a note that needs no address: without wing and hall it goes to the wing for captures, and to the hall that its text tells: a
 * guess to `hypotheses`, a decision to `decisions`, what did not work to `failures`, all else to `facts`. The name comes from the
 * text and gets a number when it is taken, so a capture has no conflicts; what its writer has said already is `unchanged`. A wing
 * alone, or a hall alone, is a suggestion: the note waits for review.
 */
export const capture = operation({
  name: 'capture',
  scope: 'propose',
  mutates: true,
  input,
  output: writeResultShape,
  async run(brain, { text: sent, wing, hall, title = '', tags, source, dry_run: dryRun }, caller, watch) {
    const { text, warnings } = withLineBreaks(sent, caller);
    checkContent(text, 'text');
    const isPlaced = wing === undefined && hall === undefined;
    const place = isPlaced
      ? { wing: brain.config.captureWing, hall: await hallOf(brain, openContent(text).body) }
      : { wing, hall, suggests: true };
    const isFromWeb = place.hall === 'facts' && source !== undefined && WEB.test(source);
    return placeNote(
      brain,
      {
        content: text,
        ...place,
        options: isFromWeb ? { source_type: 'external' } : {},
        frontmatter: {
          ...(title.trim() !== '' && { title }),
          ...(tags !== undefined && tags.length > 0 && { tags }),
          ...(source !== undefined && { source }),
        },
        warnings,
        dryRun,
        signal: watch?.signal,
      },
      caller,
    );
  },
});
