import { type LinkUse, pathAddress } from '../markdown/address';
import { UNLINKABLE } from '../markdown/link-words';
import { fileName, folderOf, isMarkdown, linkPath, type VaultPath } from '../vocabulary/paths';
import { compareShortest, type FileNames, opens, pathsMeant } from './resolve';

/** Notes that move at once, and the files of the vault before and after. */
export interface Moves {
  /** The new path of each; null for a note that is gone for good: the links to it become text. */
  readonly to: ReadonlyMap<VaultPath, VaultPath | null>;
  readonly before: FileNames;
  readonly after: FileNames;
}

/** Returns moves among files. */
export function movesAmong(before: FileNames, to: Moves['to']): Moves {
  const arrived = new Map<string, VaultPath[]>();
  for (const path of to.values()) {
    if (path === null) continue;
    for (const key of [path, fileName(path), linkPath(fileName(path))].map((each) => each.toLowerCase()))
      arrived.set(key, [...(arrived.get(key) ?? []), path]);
  }
  const after: FileNames = {
    at(path) {
      const wanted = path.toLowerCase();
      const there = arrived.get(wanted)?.filter((each) => each.toLowerCase() === wanted) ?? [];
      return [...there, ...before.at(path).filter((each) => !to.has(each) && !there.includes(each))];
    },
    first(name, passes) {
      const stayed = before.first(name, (path) => !to.has(path) && passes(path));
      const all = [
        ...(arrived.get(name.toLowerCase())?.filter(passes) ?? []),
        ...(stayed === null ? [] : [stayed]),
      ];
      return all.sort(compareShortest)[0] ?? null;
    },
  };
  return { to, before, after };
}

/** Returns the move of a note that others have moved already, so that the files are those after it. */
export function movedAlready(after: FileNames, from: VaultPath, to: VaultPath): Moves {
  const before = movesAmong(after, new Map([[to, from]])).after;
  return { to: new Map([[from, to]]), before, after };
}

/** What becomes of a link: its words alone, or a target as it is written, with the words that a link without words then shows otherwise. */
export type Followed = 'text' | { readonly target: string; readonly words?: string };

/**
 * Returns what becomes of a link in the note at `at` so that it opens after moves what it opened before; null when it stays as it is. It
 * keeps its form: a name stays a name while one opens the file, with as many folders as that takes; a path stays a path from the root,
 * or from the note. A wikilink stays as it is where no path that it can hold opens the file.
 */
export function followed(
  link: Pick<LinkUse, 'kind' | 'target' | 'fragment' | 'text'>,
  at: VaultPath,
  moves: Moves,
): Followed | null {
  const { kind, target } = link;
  const relative = kind === 'mdlink' || kind === 'image';
  const opened = opens(target, at, moves.before, relative);
  if (opened === null) return null;
  const goal = moves.to.has(opened) ? (moves.to.get(opened) ?? null) : opened;
  if (goal === null) return 'text';
  const place: Place = { at: moves.to.get(at) ?? at, files: moves.after, relative };
  const plain = target.trim().replace(/\\/g, '/');
  const form = formOf(plain, at, opened, relative);
  // A path from the note stays one, although the app would still find its last name.
  const isKept = form !== 'note' || formOf(plain, place.at, goal, relative) === 'note';
  if (isKept && opens(target, place.at, place.files, relative) === goal) return null;
  const ending = isMarkdown(goal) && isMarkdown(plain) ? goal.slice(linkPath(goal).length) : '';
  const path = `${pathIn(form, goal, place)}${ending}`;
  if (relative) return { target: pathAddress(path) };
  if (UNLINKABLE.test(path)) return null;
  const isBare = kind === 'wikilink' && link.text === null && path !== target;
  const shown = link.fragment === null ? target : `${target} > ${link.fragment}`;
  return { target: path, ...(isBare && { words: shown }) };
}

/** The note with a link after the move, and the files then. */
interface Place {
  readonly at: VaultPath;
  readonly files: FileNames;
  readonly relative: boolean;
}

/** How a link names a file: by its name, by its path from the root, from a slash, from the note, or from `./`. */
type Form = 'name' | 'root' | 'slash' | 'note' | 'dot';

function formOf(target: string, at: VaultPath, opened: VaultPath, relative: boolean): Form {
  if (target.startsWith('/')) return 'slash';
  if (target.startsWith('./')) return 'dot';
  if (target.startsWith('../')) return 'note';
  const { near } = pathsMeant(target, at, relative);
  const isNear = near !== null && linkPath(near).toLowerCase() === linkPath(opened).toLowerCase();
  if (isNear || (relative && folderOf(at) === '' && target.includes('/'))) return 'note';
  return target.includes('/') ? 'root' : 'name';
}

/** Returns a path without `.md` that opens a file in a form; the path from the root when nothing shorter does. */
function pathIn(form: Form, goal: VaultPath, { at, files, relative }: Place): string {
  const whole = linkPath(goal);
  const leads = (path: string): boolean =>
    (relative || !UNLINKABLE.test(path)) && opens(path, at, files, relative) === goal;
  if (form === 'note' || form === 'dot') {
    const near = pathFrom(folderOf(at), whole);
    const dotted = near.startsWith('../') || (relative && form === 'note') ? near : `./${near}`;
    if (leads(dotted)) return dotted;
  }
  if (form === 'name') {
    const segments = whole.split('/');
    for (let first = segments.length - 1; first > 0; first -= 1) {
      const name = segments.slice(first).join('/');
      if (leads(name)) return name;
    }
  }
  return form === 'slash' || (relative && !leads(whole)) ? `/${whole}` : whole;
}

/** Returns the path of a file from a folder, with `..` for each folder that it leaves. */
function pathFrom(folder: string, path: string): string {
  const [here, there] = [folder === '' ? [] : folder.split('/'), path.split('/')];
  let shared = 0;
  while (shared < here.length && shared < there.length - 1 && here[shared] === there[shared]) shared += 1;
  return [...here.slice(shared).map(() => '..'), ...there.slice(shared)].join('/');
}
