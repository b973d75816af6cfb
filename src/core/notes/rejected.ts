import { actsForOwner, type Caller } from '../access/tokens';
import { BrainError, called } from '../base/errors';
import type { Sha } from '../base/hash';
import { compareText } from '../base/text';
import { isRejection, type NoteRecord } from '../catalog/record';
import { parseNote } from '../frontmatter/parse';
import type { Brain } from '../operation/context';
import { isWriter, stampName } from '../vocabulary/envelope';
import type { BodyWork } from './content';

/** Returns the last rejection of a text, by its content key; null for one that was never rejected, or is in its place since. */
function lastRejection(catalog: Pick<Brain['catalog'], 'keyOwners' | 'record'>, key: Sha): NoteRecord | null {
  const same = catalog.keyOwners(key).flatMap((path) => catalog.record(path) ?? []);
  if (same.some(({ status }) => status !== 'raw' && status !== 'rejected')) return null;
  const timeOf = ({ frontmatter: { rejected_at: at } }: NoteRecord): string =>
    typeof at === 'string' ? at : '';
  return same.filter(isRejection).sort((a, b) => compareText(timeOf(b), timeOf(a)))[0] ?? null;
}

/**
 * Looks whether a text that is to be written says what was rejected. Returns the warning for who acts for the owner, whose write
 * goes on.
 * @param before the content key of the note that the text replaces, which may say the same already
 * @throws BrainError `rejected_before` for everybody else; who may read the rejected note, or proposed it, learns when, by whom and why
 */
export async function refuseRejected(
  { whole: { catalog }, limits }: Pick<Brain, 'whole' | 'limits'>,
  caller: Caller,
  work: Pick<BodyWork, 'key'>,
  text: string,
  before?: Sha,
): Promise<string[]> {
  const { frontmatter, body } = parseNote(text);
  const key = await work.key(body, frontmatter.title);
  const note = key === before ? null : lastRejection(catalog, key);
  if (note === null) return [];
  const { path } = note;
  const { rejected_at: at, rejected_by: by, reject_reason: reason, written_by: writer } = note.frontmatter;
  const maySee = limits?.sees(path) !== false;
  if (!maySee && !isWriter(writer, stampName(caller)))
    throw new BrainError(
      'rejected_before',
      'A note that says the same was rejected before, and nothing was written. Ask the owner of the vault, or write something else.',
    );
  const when = typeof at === 'string' ? ` on ${at}` : '';
  const who = typeof by === 'string' ? ` by ${by}` : '';
  const why = typeof reason === 'string' ? `: "${reason}"` : '';
  const said = `A note that says the same was rejected${when}${who}${why}`;
  if (actsForOwner(caller)) return [`${said} (${path}).`];
  const back = maySee ? `${path} with ${called('restore', 'the log of decisions')}` : 'the rejected one';
  throw new BrainError(
    'rejected_before',
    `${said}${/[.!?]"?$/.test(said) ? '' : '.'} Nothing was written. Write what meets the reason, or ask a person to restore ${back}.`,
    {
      ...(typeof at === 'string' && { rejected_at: at }),
      ...(typeof by === 'string' && { by }),
      ...(typeof reason === 'string' && { reason }),
      ...(maySee && { path }),
    },
  );
}
