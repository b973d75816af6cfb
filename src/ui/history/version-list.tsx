import type { RefObject } from 'preact';
import { Flag } from '../parts/flag';
import { Icon } from '../parts/icon';
import { counted, moment } from '../parts/words';
import { Writer } from '../parts/writer';
import { sizeWords } from './size-words';
import type { Version } from './versions';

/** The versions of a note, newest first: when, why, by whom, how long. */
export function VersionList(props: {
  readonly id: string;
  readonly path: string;
  readonly versions: readonly Version[];
  readonly selected: number;
  /** The version that others are compared from, when the person chose one. */
  readonly base: number | null;
  readonly listRef: RefObject<HTMLUListElement | null>;
  readonly onSelect: (index: number) => void;
  readonly onOpen: () => void;
  readonly onChoose: () => void;
}) {
  const { id, path, versions, selected, base, listRef, onSelect, onOpen, onChoose } = props;
  return (
    <section class="brain-list" aria-label="Versions">
      <div class="brain-bar">
        <h2>{counted(versions.length, 'version')}</h2>
        <span class="brain-push brain-small brain-muted brain-cut" title={path}>
          {path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')}
        </span>
        <button type="button" class="clickable-icon" aria-label="Open the note" onClick={onOpen}>
          <Icon name="external-link" />
        </button>
        <button type="button" class="clickable-icon" aria-label="Choose another note" onClick={onChoose}>
          <Icon name="search" />
        </button>
      </div>
      <ul
        id={id}
        ref={listRef}
        class="brain-versions brain-scroll"
        role="listbox"
        aria-label="Versions, newest first"
        tabIndex={0}
        aria-activedescendant={`${id}-${selected}`}
      >
        {versions.map((version, index) => (
          <li
            key={version.hash}
            id={`${id}-${index}`}
            class="brain-version"
            role="option"
            aria-selected={index === selected}
            onClick={() => onSelect(index)}
          >
            <div class="brain-row">
              <b class="brain-strong">
                {version.updated_at === undefined ? 'Time not recorded' : moment(version.updated_at)}
              </b>
              {index === 0 && <Flag icon="check">Current</Flag>}
              {index === base && <Flag icon="git-fork">Compared from</Flag>}
            </div>
            {reasonOf(version, index === versions.length - 1) !== '' && (
              <span class="brain-version-reason brain-small brain-muted">
                {reasonOf(version, index === versions.length - 1)}
              </span>
            )}
            <div class="brain-entry-meta brain-item-meta">
              <Writer origin={version.origin} writtenBy={version.written_by} />
              <span class="brain-count brain-version-size">{sizeWords(version.bytes)}</span>
            </div>
          </li>
        ))}
      </ul>
      <p class="brain-past-note">
        Edits that you make by hand are not versions: what stood there is kept when the service next changes
        the note.
      </p>
    </section>
  );
}

function reasonOf({ reason }: Version, isFirst: boolean): string {
  return reason ?? (isFirst ? 'The oldest that is kept' : '');
}
