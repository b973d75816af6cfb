import type { Answer } from '../../../src/core/registry/client';

/** The answer to a request for a note with a text, of which at most `most` characters are given. */
export function noteOf(path: string, body: string, most = Infinity): Answer<'note'> {
  return {
    path,
    title: 'A note',
    status: 'wiki',
    frontmatter: {},
    body: body.slice(0, most),
    content_hash: '1'.repeat(64),
    stale: false,
    history: 0,
    outgoing: [],
    backlinks: [],
    same_tags: [],
    truncated: body.length > most,
  };
}
