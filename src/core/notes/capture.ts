import * as z from 'zod';
import { dryRunField, hallField, MAX_TITLE, wingField } from '../operation/fields';
import { hashForName } from '../operation/limits';
import { operation } from '../operation/operation';
import { FACTS } from '../markdown/facts';
import { slugify } from '../vocabulary/address';
import { firstPoints } from '../base/text';
import { noteTitle } from '../links/title';
import { writeResultShape } from '../operation/shapes';
import { checkContent } from './content';
import { placeNote } from './write';
import { apart, inSlices } from '../base/steps';

/** The most code points of a name made from the first words of a text without a title. */
const NAME_POINTS = 60;

const input = z.strictObject({
  text: z.string().describe('What to remember, in Markdown'),
  wing: wingField.optional(),
  hall: hallField.optional(),
  title: z.string().max(MAX_TITLE).optional(),
  tags: z.array(z.string().min(1).max(100)).max(50).optional(),
  source: z.string().max(2000).optional().describe('URL or label of where it comes from'),
  dry_run: dryRunField,
});

/**
 * Writes a note that needs no address: without wing and hall it goes to the hall for captures of the wing for captures. The name
 * comes from the text and gets a number when it is taken, so a capture has no conflicts. A wing alone, or a hall alone, is a
 * suggestion: the note waits for review.
 */
export const capture = operation({
  name: 'capture',
  scope: 'propose',
  mutates: true,
  input,
  output: writeResultShape,
  run(brain, { text, wing, hall, title = '', tags, source, dry_run: dryRun }, caller, watch) {
    checkContent(text, 'text');
    const nameOf = async (body: string, said: Readonly<Record<string, unknown>>): Promise<string> => {
      const facts = await inSlices(apart(FACTS, body), brain.pace);
      return noteTitle(said, facts.h1) ?? firstPoints(facts.plain, NAME_POINTS);
    };
    return placeNote(
      brain,
      {
        content: text,
        ...(wing === undefined && hall === undefined
          ? { wing: brain.config.captureWing, hall: 'hypotheses' as const }
          : { wing, hall, suggests: true }),
        deriveStem: async (body, said) => slugify(await nameOf(body, said), hashForName(brain, text)),
        options: {},
        frontmatter: {
          ...(title.trim() !== '' && { title }),
          ...(tags !== undefined && tags.length > 0 && { tags }),
          ...(source !== undefined && { source }),
        },
        dryRun,
        signal: watch?.signal,
      },
      caller,
    );
  },
});
