import type { Brain } from '../brain';
import { allows, type Caller } from '../caller';
import { BrainError } from '../errors';
import type { EditStep } from '../plan';
import { sha256 } from '../rules/hash';
import { isLocked } from '../rules/lock';
import type { VaultPath } from '../rules/paths';
import { recordAddedSources, recordsOf } from '../notes/added-sources';
import { journalOf } from '../journal';
import { withReferences } from './back-references';

/** What comes of adding a source to a note that stands: its edit, or why it is left as it is; neither when it has it. */
export interface SourceAddition {
  readonly edit?: EditStep;
  /** Elements that the edit adds. */
  readonly added?: readonly string[];
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
    const edit: EditStep = { kind: 'edit', path, before: sha256(text), text: changed.text };
    return { edit, added: changed.added };
  } catch (error) {
    if (!(error instanceof BrainError) || error.code !== 'invalid_frontmatter') throw error;
    return { warning: `The source was not added to ${path}. ${error.message}` };
  }
}

/** What additions do to the vault: their edits, and what is put on record of them before and when the edits then fail. */
export function additionsOf(
  brain: Pick<Brain, 'state' | 'device' | 'clock'>,
  additions: Iterable<SourceAddition>,
  caller: Caller,
): { readonly edits: EditStep[]; record(): Promise<void>; takeBack(): Promise<void> } {
  const made = [...additions].flatMap(({ edit, added = [] }) =>
    edit === undefined ? [] : [{ edit, added }],
  );
  const records = recordsOf(brain, made, caller, 'Source added');
  return {
    edits: made.map(({ edit }) => edit),
    record: () => recordAddedSources(brain, records),
    async takeBack() {
      // The next start may finish what a failing disk did not give back, and the record has to stand then.
      if (journalOf(brain.state, brain.device, brain.clock).hasUnfinished) return;
      await recordAddedSources(
        brain,
        records.map((each) => ({ ...each, undone: true })),
      );
    },
  };
}
