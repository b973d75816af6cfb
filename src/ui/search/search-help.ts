import type { KeyHelpGroup } from '../parts/keys';

/** The keys of the search, in its last row. */
export const searchHints = [
  { keys: ['/'], label: 'search', wide: true },
  { keys: ['J', 'K'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['Shift', '↵'], label: 'answer', wide: true },
  { keys: ['Ctrl', '↵'], label: 'new pane', wide: true },
  { keys: ['H'], label: 'history', wide: true },
  { keys: ['Y'], label: 'copy link', wide: true },
  { keys: ['?'], label: 'all keys' },
] as const;

/** While an answer stands in the place of the results. */
export const answerHints = [
  { keys: ['/'], label: 'search', wide: true },
  { keys: ['Tab'], label: 'next' },
  { keys: ['↵'], label: 'to the quote', wide: true },
  { keys: ['Esc'], label: 'results' },
  { keys: ['?'], label: 'all keys' },
] as const;

export const searchHelp: readonly KeyHelpGroup[] = [
  {
    title: 'Search',
    lines: [
      { label: 'To the search field', keys: ['/'] },
      { label: 'From the field to the results', keys: ['↵', '↓'] },
      { label: 'Answer from the notes', keys: ['Shift', '↵'] },
      { label: 'Leave the field, close the side panel', keys: ['Esc'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
  {
    title: 'Results',
    lines: [
      { label: 'Next, previous', keys: ['J', 'K'] },
      { label: 'Open', keys: ['↵'] },
      { label: 'Open in a new pane', keys: ['Ctrl', '↵'] },
      { label: 'History of the note', keys: ['H'] },
      { label: 'Copy a link', keys: ['Y'] },
    ],
  },
  {
    title: 'Answer',
    lines: [
      { label: 'From a number to its quote', keys: ['↵'] },
      { label: 'From a quote back to its number', keys: ['Esc'] },
      { label: 'Cancel, back to the results', keys: ['Esc'] },
    ],
  },
];
