import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import type { Entry } from './entry';

/** The notes that come nearest to this one, whether near or far, each to be compared with it or opened. */
export function SimilarNotes(props: {
  readonly similar: Entry['similar'];
  readonly onCompare: (path: string) => void;
}) {
  const { similar, onCompare } = props;
  const { host } = useUi();
  return (
    <>
      <h2 class="brain-heading">
        <Icon name="copy" />
        Similar notes
      </h2>
      <ul class="brain-card brain-gate brain-twins">
        {similar.map(({ path, title, stale }, index) => (
          <li key={path}>
            <Icon name="file-text" />
            <button
              type="button"
              class="brain-notelink brain-cut"
              title={path}
              onClick={() => host.openNote(path, { newPane: true })}
            >
              {title}
            </button>
            <p class="brain-cut">
              {placeOf(path)}
              {stale && ', stale'}
            </p>
            <button type="button" class="brain-plain" onClick={() => onCompare(path)}>
              Compare
              <span class="brain-sr"> with {title}</span>
              {index === 0 && <Key>C</Key>}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function placeOf(path: string): string {
  const [zone = '', wing = '', hall = ''] = path.split('/');
  if (zone === 'wiki') return `${wing} / ${hall}`;
  return zone === 'raw' ? 'In the queue' : zone;
}
