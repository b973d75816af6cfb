import type { Brain } from '../brain';
import { allows, type Caller } from '../caller';
import { BrainError } from '../errors';
import type { EditStep } from '../plan';
import { sha256 } from '../rules/hash';
import { isLocked } from '../rules/lock';
import type { VaultPath } from '../rules/paths';
import { withReferences } from './back-references';

/** What comes of adding a source to a note that stands: its edit, or why it is left as it is; neither when it has it. */
export interface SourceAddition {
  readonly edit?: EditStep;
  readonly warning?: string;
}

/** How the references to a source come into the `sources` of a note that says what it says. */
export async function sourceAddition(
  brain: Brain,
  path: VaultPath,
  references: readonly string[],
  caller: Caller,
): Promise<SourceAddition> {
  const text = await brain.vault.read(path);
  if (text === null) return {};
  try {
    const changed = withReferences(text, references, brain.catalog);
    if (changed.added.length === 0) return {};
    if (!allows(caller, 'write')) {
      return { warning: `The source was not added to ${path}: this token may not change a note.` };
    }
    if (isLocked(text)) {
      return { warning: `The source was not added to ${path}: it is locked by its owner.` };
    }
    return { edit: { kind: 'edit', path, before: sha256(text), text: changed.text } };
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_frontmatter') throw error;
    return { warning: `The source was not added to ${path}. ${error.message}` };
  }
}
