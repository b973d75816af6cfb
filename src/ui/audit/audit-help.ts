import type { KeyHelpGroup } from '../parts/keys';

/** The keys of the audit log, in its last row. */
export const auditHints = [
  { keys: ['J', 'K'], label: 'move' },
  { keys: ['D'], label: 'diff' },
  { keys: ['O'], label: 'open note', wide: true },
  { keys: ['/'], label: 'filter', wide: true },
  { keys: ['F'], label: 'only this agent', wide: true },
  { keys: ['U'], label: 'undo', wide: true },
  { keys: ['?'], label: 'all keys' },
] as const;

export const auditHelp: readonly KeyHelpGroup[] = [
  {
    title: 'Calls',
    lines: [
      { label: 'Older, newer', keys: ['J', 'K'] },
      { label: 'What the call changed', keys: ['D'] },
      { label: 'Open the note', keys: ['O'] },
      { label: 'Facts of the call, in a small pane', keys: ['↵'] },
    ],
  },
  {
    title: 'Undo',
    lines: [{ label: 'What a writer did, since a time', keys: ['U'] }],
  },
  {
    title: 'Filter',
    lines: [
      { label: 'By note', keys: ['/'] },
      { label: 'Only this agent, or all again', keys: ['F'] },
      { label: 'Leave the field, close the facts', keys: ['Esc'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
];
