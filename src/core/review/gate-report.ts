import * as z from 'zod';
import { pathField } from '../operation/fields';
import { BodyWork, gateBody } from '../notes/content';
import { operation } from '../operation/operation';
import { templateOfNote, templateWarning } from '../frontmatter/block';
import { parseNote } from '../frontmatter/parse';
import { sha256 } from '../base/hash';
import type { Ref } from '../gate/finding';
import { hashShape, pathShape, refsShape, warningsShape } from '../operation/shapes';
import { changesShape } from '../gate/changes';
import { actingProperties } from '../notes/properties';
import { linkedPath } from '../notes/targets';
import { changesAtPromotion, findingsHash, listed, suggestedPlace } from './kept';
import { readReviewNote } from './review-note';

/**
 * Reports what the gate finds in a queued note or in one of the owner's, and what it would remove if the note were written anew.
 * Changes nothing: `refs` and `unlinked` describe the result, line numbers count in the body. `findings` are the parts that a
 * promotion or an adoption changes, as `keep` of these counts them. Template code in the front matter is in `refs` too, with
 * `line` 1; its warning has the line of the note. Links are resolved with the wing and hall that the note suggests. Fails with
 * `not_in_queue` or `source_missing`.
 */
export const gateReport = operation({
  name: 'gate_report',
  scope: 'read',
  mutates: false,
  input: z.strictObject({ path: pathField }),
  output: z.object({
    path: pathShape,
    content_hash: hashShape,
    ...refsShape,
    findings: changesShape.describe(
      'What a promotion or adoption changes; "keep" of these names them by index',
    ),
    findings_hash: hashShape.describe('Names these findings: another note can change them too'),
    warnings: warningsShape,
  }),
  async run(brain, { path: given }) {
    const isOwners = brain.catalog.statusOf(linkedPath(brain, given)) === 'vault';
    const { path, text } = await readReviewNote(brain, given, isOwners ? 'other' : 'raw');
    const { frontmatter, body, problem } = parseNote(text);
    const acting = await actingProperties(brain, text);
    // An adoption leaves the owner's properties as they are.
    const note = { path, frontmatter, body, properties: isOwners ? [] : acting.changes };
    const { refs, unlinked, warnings } = await gateBody(brain, {
      body,
      from: suggestedPlace(brain, note),
      mode: 'full',
    });
    const findings = await changesAtPromotion(brain, new BodyWork(brain), note);
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
      refs: [...found, ...acting.refs, ...refs],
      unlinked,
      findings: listed(findings),
      findings_hash: findingsHash(findings),
      warnings: [
        ...(problem === null ? [] : [problem]),
        ...(template === null ? [] : [templateWarning(template)]),
        ...warnings,
      ],
    };
  },
});
