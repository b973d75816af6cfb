import type { KeyHelpGroup } from '../parts/keys';

/** The keys of the history, in its last row. */
export const historyHints = [
  { keys: ['J', 'K'], label: 'version' },
  {
    keys: ['N', 'P'],
    label: (
      <>
        <span class="brain-wide-only">next, previous</span> change
      </>
    ),
  },
  { keys: ['D'], label: 'layout', wide: true },
  { keys: ['B'], label: 'compare from here', wide: true },
  { keys: ['V'], label: 'revert', wide: true },
  { keys: ['?'], label: 'all keys' },
];

export const historyHelp: readonly KeyHelpGroup[] = [
  {
    title: 'Versions',
    lines: [
      { label: 'Older, newer', keys: ['J', 'K'] },
      { label: 'Compare from here, or as usual again', keys: ['B'] },
      { label: 'Revert', keys: ['V'] },
      { label: 'Open the note', keys: ['O'] },
      { label: 'Choose another note', keys: ['/'] },
    ],
  },
  {
    title: 'Changes',
    lines: [
      { label: 'Next, previous', keys: ['N', 'P'] },
      { label: 'Side by side or inline', keys: ['D'] },
      { label: 'With or without properties', keys: ['M'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
];
