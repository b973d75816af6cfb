import type { Request } from 'express';
import { BrainError } from '../core/errors';
import type { IfMatch } from '../core/if-match';
import { isRecord } from '../core/rules/record';

/** One entity tag of RFC 9110, section 8.8.3, with its mark of weakness. */
const TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/;
/** As many tags as a header of the allowed length can hold are read; no comma may stand in the tags of this server. */
const LIST = /^[\t ]*,|^[\t ]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?:,|$)/;

interface Tag {
  readonly weak: boolean;
  readonly text: string;
}

/**
 * What `If-Match` demands of the note that a call changes, or undefined without it. It means what `expected_hash` in the body
 * does: strong tags are hashes, one of which the note has to have; a weak one never fits; `*` wants that there is a note.
 * @throws BrainError `invalid_field` for a header that is none, for one that says something else than the body, and where a
 * call has no one note that it could be about
 */
export function ifMatchOf(req: Request, input: unknown, takesHash: boolean): IfMatch | undefined {
  const header = req.headers['if-match'];
  if (header === undefined) return undefined;
  const found = readTags('If-Match', header);
  if (!takesHash) {
    throw new BrainError(
      'invalid_field',
      'This call changes no note that it names by its version, so If-Match cannot be met. Leave the header out.',
      { field: 'If-Match' },
    );
  }
  const hashes = found === '*' ? '*' : found.filter(({ weak }) => !weak).map(({ text }) => text);
  const given = isRecord(input) ? (input.expected_hash ?? undefined) : undefined;
  if (typeof given === 'string' && hashes !== '*' && !hashes.includes(given)) {
    throw new BrainError(
      'invalid_field',
      'If-Match and "expected_hash" name different versions of the note. Send one of them.',
      { field: 'expected_hash' },
    );
  }
  return hashes;
}

/** True when `If-None-Match` says that the caller has this version already. @throws BrainError `invalid_field` */
export function hasAlready(req: Request, hash: string): boolean {
  const header = req.headers['if-none-match'];
  if (header === undefined) return false;
  const found = readTags('If-None-Match', header);
  return found === '*' || found.some(({ text }) => text === hash);
}

function readTags(name: string, header: string): '*' | readonly Tag[] {
  if (header.trim() === '*') return '*';
  const tags: Tag[] = [];
  let rest = header;
  while (rest.trim() !== '') {
    const [whole = '', tag] = LIST.exec(rest) ?? [];
    if (whole === '') throw malformed(name);
    if (tag !== undefined) {
      const [, weak, text = ''] = TAG.exec(tag) ?? [];
      tags.push({ weak: weak !== undefined, text });
    }
    rest = rest.slice(whole.length);
  }
  if (tags.length === 0) throw malformed(name);
  return tags;
}

function malformed(name: string): BrainError {
  return new BrainError(
    'invalid_field',
    `${name} must be "*" or one or more tags in quotes, such as "<content_hash>".`,
    { field: name },
  );
}
