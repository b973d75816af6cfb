import { useUi } from '../context';
import { Empty } from '../parts/empty';
import { Hints } from '../parts/hints';
import { Key } from '../parts/key';
import { useKeys } from '../parts/use-keys';
import type { ScreenParams } from '../screens';
import { openSearch } from '../search/search-modal';
import { HistoryOfNote } from './history-of-note';

/** The versions of one note and what changed between them. Without a note it asks for one. */
export function HistoryScreen({ params }: { params: ScreenParams }) {
  const { path, hash } = params;
  if (path === undefined || path === '') return <NoNote />;
  return <HistoryOfNote key={`${path} ${hash ?? ''}`} path={path} hash={hash ?? null} />;
}

function NoNote() {
  const ui = useUi();
  const choose = (): void => openSearch(ui, (path) => ui.host.go('history', { path }));
  const keys = useKeys({
    title: 'Keys in the history',
    help: [{ title: 'History', lines: [{ label: 'Choose a note', keys: ['/'] }] }],
    actions: [{ keys: ['/'], run: choose }],
  });
  return (
    <div class="brain-past mod-none" {...keys}>
      <h1 class="brain-sr">Note history</h1>
      <Empty icon="history" title="No note is chosen">
        <p>
          Every version of a note that the service replaced is kept. Choose a note to see what changed, and
          who changed it.
        </p>
        <button type="button" class="mod-cta" onClick={choose}>
          Choose a note <Key>/</Key>
        </button>
      </Empty>
      <Hints
        hints={[
          { keys: ['/'], label: 'choose a note' },
          { keys: ['?'], label: 'all keys' },
        ]}
      />
    </div>
  );
}
