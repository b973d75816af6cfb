import * as z from 'zod';
import { called } from '../base/errors';
import type { Brain } from '../operation/context';
import { operation } from '../operation/operation';
import { countShape } from '../operation/shapes';
import { refuseAgents } from '../review/confirm';
import { type Check, someOf } from '../vocabulary/check';

/**
 * Chooses whether the words of PDF files and canvases of the vault are searched; taking them goes on in the background, and the status
 * tells of it. Only a person or the owner's token chooses. The setting of a server, where there is one, counts more there.
 */
export const chooseAttachments = operation({
  name: 'choose_attachments',
  scope: 'admin',
  mutates: false,
  keyed: 'none',
  whole: true,
  input: z.strictObject({
    read: z.boolean().describe('True to search them; false removes what is kept of them'),
  }),
  output: z.object({
    read: z.boolean().describe('Whether they are searched on this server now'),
    files: countShape.describe('PDF files and canvases of the vault'),
  }),
  async run({ allAttachments }, { read }, caller) {
    refuseAgents(caller, 'chooses whether PDF files and canvases are searched');
    await allAttachments.choose(read);
    return { read: allAttachments.isOn, files: allAttachments.paths().length };
  },
});

/** Tells whether the words of PDF files and canvases are searched, and which of the files could not be read. */
export function attachmentsCheck({
  allAttachments,
  attachments,
}: Pick<Brain, 'allAttachments' | 'attachments'>): Check {
  const name = 'attachments';
  const { choice, isSet, pdfs, canvases, unread, waiting } = attachments.state;
  if (choice !== 'on') {
    const count = allAttachments.paths().length;
    const message = `The words of PDF files and canvases are not searched; the vault has ${files(count)} of these kinds.`;
    if (choice === 'off' || count === 0)
      return { name, state: 'ok', message, ...(!isSet && { action: 'read-attachments' }) };
    return {
      name,
      state: 'warning',
      message,
      fix: `Choose with ${called('choose_attachments', 'a button here')} whether they are searched. They are read on this device, and nothing is sent anywhere.`,
      action: 'read-attachments',
    };
  }
  const read = `Searched: ${pdfs} PDF ${pdfs === 1 ? 'file' : 'files'} and ${canvases} ${canvases === 1 ? 'canvas' : 'canvases'}.`;
  const rest =
    waiting === 0 ? '' : ` ${files(waiting)} of these kinds ${waiting === 1 ? 'waits' : 'wait'} to be read.`;
  const named = unread.map(({ path, reason }) => `${path} (${reason.replace(/[.\s]+$/, '')})`);
  // A picture of a page stays one, and nobody has to do anything about it.
  const others = unread.length === 0 ? '' : ` ${files(unread.length)} cannot be read: ${someOf(named)}.`;
  const message = `${read}${rest}${others}`;
  return { name, state: 'ok', message, ...(!isSet && { action: 'leave-attachments' }) };
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}
