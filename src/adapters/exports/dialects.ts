import { epub } from './dialect-epub';
import { evernote } from './dialect-evernote';
import { chatgpt } from './dialect-chatgpt';
import { claude } from './dialect-claude';
import { joplin } from './dialect-joplin';
import { keep } from './dialect-keep';
import { roam } from './dialect-roam';
import { dayOne } from './dialect-dayone';
import { slack } from './dialect-slack';
import { trello } from './dialect-trello';
import { bookmarks, instapaper, pocket, raindrop } from './dialect-saved-pages';
import { simplenote } from './dialect-simplenote';
import { standardNotes } from './dialect-standard-notes';
import type { Dialect } from './tree';

/** The programs whose exports are recognised. The first one that recognises a folder has it. */
export const DIALECTS: readonly Dialect[] = [
  epub,
  evernote,
  keep,
  joplin,
  roam,
  chatgpt,
  claude,
  dayOne,
  slack,
  trello,
  simplenote,
  standardNotes,
  bookmarks,
  pocket,
  instapaper,
  raindrop,
];
