import * as z from 'zod';
import { wingKey } from '../catalog/wings';
import { pathField } from '../operation/fields';
import { gateBody } from '../notes/content';
import { operation } from '../operation/operation';
import { templateOfNote, templateWarning } from '../frontmatter/block';
import { parseNote } from '../frontmatter/parse';
import { isHall } from '../vocabulary/address';
import { sha256 } from '../base/hash';
import type { Ref } from '../gate/finding';
import { hashShape, pathShape, refsShape, warningsShape } from '../operation/shapes';
import { readReviewNote } from './review-note';

/**
 * Reports what the gate finds in a queued note, and what it would remove if the note were written anew. Changes nothing: `refs`
 * and `unlinked` describe the result, line numbers count in the body. Template code in the front matter is a finding too, with
 * `line` 1; its warning has the line of the note. Links are resolved with the wing and hall that the note suggests. Fails with
 * `not_in_queue` or `source_missing`.
 */
export const gateReport = operation({
  name: 'gate_report',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ path: pathField }),
  output: z.object({ path: pathShape, content_hash: hashShape, ...refsShape, warnings: warningsShape }),
  async run(brain, { path: given }) {
    const { path, text } = await readReviewNote(brain, given, 'raw');
    const { frontmatter, body, problem } = parseNote(text);
    const { wing: named, hall } = frontmatter;
    const wing = typeof named === 'string' ? wingKey(named) : null;
    const { refs, unlinked, warnings } = await gateBody(brain, {
      body,
      from: {
        path,
        wing: wing && brain.catalog.wingSpelling(wing),
        hall: isHall(hall) ? hall : null,
      },
      mode: 'full',
    });
    const template = templateOfNote(text);
    const found: Ref[] =
      template === null
        ? []
        : [
            {
              kind: 'template',
              target: '<%',
              text: template.key ?? '',
              line: 1,
              unlinked: false,
              reason: 'active_content',
            },
          ];
    return {
      path,
      content_hash: sha256(text),
      refs: [...found, ...refs],
      unlinked,
      warnings: [
        ...(problem === null ? [] : [problem]),
        ...(template === null ? [] : [templateWarning(template)]),
        ...warnings,
      ],
    };
  },
});
