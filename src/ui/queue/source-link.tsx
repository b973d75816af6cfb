import { useUi } from '../context';
import { sourceOf } from './source-of';

/** A source of a note as a link, where this host can follow it; else its words. */
export function SourceLink({ source }: { readonly source: string }) {
  const { host } = useUi();
  const found = sourceOf(source);
  switch (found.kind) {
    case 'words':
      return <span title={found.words}>{found.words}</span>;
    case 'address':
      return (
        <a href={found.href} title={found.href} target="_blank" rel="noopener noreferrer nofollow">
          {found.words}
        </a>
      );
    case 'note':
      return (
        <button
          type="button"
          class="brain-notelink brain-cut"
          title={found.path}
          onClick={() => host.openNote(found.path, { newPane: true })}
        >
          {found.words}
        </button>
      );
    case 'file': {
      const { path, page } = found;
      const words = page === undefined ? found.words : `${found.words}, page ${page}`;
      if (host.openFile === undefined) return <span title={path}>{words}</span>;
      return (
        <button
          type="button"
          class="brain-notelink brain-cut"
          title={path}
          onClick={() => host.openFile?.(path, page)}
        >
          {words}
        </button>
      );
    }
  }
}
