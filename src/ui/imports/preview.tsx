import type { ComponentChildren } from 'preact';
import type { ImportAnswer } from '../../core/operation/shapes';
import { useUi } from '../client/context';
import { FailureNotice, Notice } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { Key, useFirstFocus } from '../kit/keys';
import { count, counted, sizeWords } from '../kit/words';
import type { Incoming, Stage } from './incoming';

/** An answer names at most this many of each kind. */
const MOST_LISTED = 200;

/** What an import will make, and the two ways from here. Nothing has changed in the vault yet. */
export function Preview(props: {
  readonly stage: Extract<Stage, { step: 'preview' }>;
  readonly incoming: Incoming;
}) {
  const { stage, incoming } = props;
  const { made, keep, error } = stage;
  const { folders = [], different = [], unchanged } = made;
  const heading = useFirstFocus<HTMLHeadingElement>();
  return (
    <div class="brain-card brain-imports-part">
      <h2 class="brain-heading mod-title" tabIndex={-1} ref={heading}>
        Import “{made.name}”?
      </h2>
      <p class="brain-prose">
        <b class="brain-strong">{counted(made.pages, 'note')}</b>
        {made.files > 0 && (
          <>
            {' '}
            and <b class="brain-strong">{counted(made.files, 'other file')}</b>
          </>
        )}
        , {sizeWords(made.bytes)}, in <code class="brain-mono">{made.folder}/</code>
      </p>
      <dl class="brain-facts">
        {made.told.length > 0 && (
          <>
            <dt>Recognised</dt>
            <dd class="mod-wrap">
              {made.told.map((words) => (
                <div key={words}>{words}</div>
              ))}
            </dd>
          </>
        )}
        <dt>Read by</dt>
        <dd class="mod-wrap">
          {made.only_me ? 'You alone' : 'You, and every agent whose token may read the vault'}
        </dd>
        <dt>Changed by</dt>
        <dd class="mod-wrap">You alone: they are notes of your own</dd>
        {unchanged !== undefined && (
          <>
            <dt>There already</dt>
            <dd class="mod-wrap">{counted(unchanged, 'file')}, left as they are</dd>
          </>
        )}
      </dl>
      {folders.length > 0 && <Folders folders={folders} />}
      <Details made={made} keep={keep} />
      {different.length > 0 && (
        <Fold icon="info" title="Came with another text before, and stay as they are" items={different}>
          {({ from }) => <span class="brain-cut">{from}</span>}
        </Fold>
      )}
      {made.pages + made.files === 0 && (
        <Notice tone="amber">There is nothing in it that can be imported.</Notice>
      )}
      {error !== null && <FailureNotice error={error} />}
      <div class="brain-row brain-imports-foot">
        <button type="button" onClick={() => incoming.cancel()}>
          Cancel
        </button>
        <button
          type="button"
          class="mod-cta"
          disabled={made.pages + made.files === 0}
          onClick={() => void incoming.make()}
        >
          Import
          <Key>I</Key>
        </button>
      </div>
    </div>
  );
}

/** The folders at the top of an import and their wings. */
export function Folders({ folders }: { readonly folders: NonNullable<ImportAnswer['folders']> }) {
  return (
    <div class="brain-imports-folders">
      <table class="brain-table brain-imports-table">
        <thead>
          <tr>
            <th scope="col">Folder</th>
            <th scope="col" class="mod-right">
              Notes
            </th>
            <th scope="col">Suggested wing</th>
          </tr>
        </thead>
        <tbody>
          {folders.map(({ folder, pages, wing }) => (
            <tr key={folder}>
              <td>
                {folder === '' ? (
                  <span class="brain-muted">No folder</span>
                ) : (
                  <span class="brain-bidi">{folder}</span>
                )}
              </td>
              <td class="mod-right">{count(pages)}</td>
              <td>{wing}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What of an import became no note, what stands twice, what would act, and what its readers say of pages. */
export function Details({ made, keep }: { readonly made: ImportAnswer; readonly keep?: boolean }) {
  const { host } = useUi();
  const { unread = [], duplicates = [], findings = [], warnings = [] } = made;
  return (
    <>
      <Fold icon="file" title="Become no note" items={unread}>
        {({ from, why, kept }) => (
          <>
            <b class="brain-strong">{from}</b>
            <span class="brain-muted">
              {why}
              {!kept && ' It is left out.'}
            </span>
          </>
        )}
      </Fold>
      <Fold icon="copy" title="Have the text of a note that is there" items={duplicates}>
        {({ from, of }) => (
          <>
            <b class="brain-strong">{from}</b>
            <button type="button" class="brain-notelink" onClick={() => host.openNote(of, { newPane: true })}>
              {of}
            </button>
          </>
        )}
      </Fold>
      <Fold
        icon="shield"
        title={
          keep === true ? 'Have parts that would act, and are kept' : 'Have parts that are made harmless'
        }
        items={findings}
      >
        {({ from, found }) => (
          <>
            <b class="brain-strong">{from}</b>
            <span class="brain-muted">{found.map(plainWords).join(', ')}</span>
          </>
        )}
      </Fold>
      <Fold icon="triangle-alert" title="Are read with a remark" items={warnings}>
        {({ from, warnings: words }) => (
          <>
            <b class="brain-strong">{from}</b>
            <span class="brain-muted">{words.join(' ')}</span>
          </>
        )}
      </Fold>
    </>
  );
}

/** Returns a finding without the code before it, which is for programs. */
function plainWords(found: string): string {
  return found.replace(/^active_content: /, 'Content that could run by itself: ');
}

/** A folded list with its length; nothing for an empty one. */
function Fold<Item extends { readonly from: string }>(props: {
  readonly icon: IconName;
  readonly title: string;
  readonly items: readonly Item[];
  readonly children: (item: Item) => ComponentChildren;
}) {
  const { icon, title, items, children } = props;
  if (items.length === 0) return null;
  return (
    <details class="brain-imports-fold">
      <summary>
        <Icon name={icon} />
        <span>{title}</span>
        <span class="brain-count brain-push">
          {count(items.length)}
          {items.length >= MOST_LISTED && ' or more'}
        </span>
      </summary>
      <ul>
        {items.map((item) => (
          <li key={item.from}>{children(item)}</li>
        ))}
      </ul>
    </details>
  );
}
