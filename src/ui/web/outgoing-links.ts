import type { NoteLinks } from '../preview/note-links';

/**
 * Where the links of a note lead, from the list of the notes that it leads to: a link that fits exactly one of them opens
 * it. A link that fits none, or several, stays words.
 */
export function outgoingLinks(outgoing: readonly string[]): NoteLinks {
  return {
    find(target) {
      const wanted = `/${plain(target.replace(/^(?:\.{0,2}\/)+/, ''))}`;
      const found = outgoing.filter((path) => `/${plain(path)}`.endsWith(wanted));
      const [resolved] = found;
      if (resolved === undefined || found.length > 1 || wanted === '/') return null;
      return { target, text: target, line: 1, kind: 'wikilink', unlinked: false, resolved };
    },
  };
}

function plain(path: string): string {
  return path.replace(/\.md$/i, '').toLowerCase();
}
