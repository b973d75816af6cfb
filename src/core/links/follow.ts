import { isRelative, type LinkUse, pathAddress } from '../markdown/address';
import { UNLINKABLE } from '../markdown/link-words';
import { fileName, folderOf, isMarkdown, linkPath, type VaultPath } from '../vocabulary/paths';
import { compareShortest, type FileNames, opens, pathsMeant } from './resolve';

/** What a link says. */
type WrittenLink = Pick<LinkUse, 'kind' | 'target' | 'fragment' | 'text'>;

/** Notes that move at once, and the files of the vault before and after. */
export interface Moves {
  /** The new path of each; null for a note that is gone for good: the links to it become text. */
  readonly to: ReadonlyMap<VaultPath, VaultPath | null>;
  readonly before: FileNames;
  readonly after: FileNames;
  /** The only file whose links follow; without it those of all do. */
  readonly only?: VaultPath;
  /** Where each note was, the oldest place first, by its present path, when the notes have moved already. */
  readonly former?: ReadonlyMap<VaultPath, readonly VaultPath[]>;
  /** The moves that the links which open a file now follow, by the notes with them. Without it all links follow. */
  readonly opening?: ReadonlyMap<VaultPath, Moves>;
}

/** Returns moves among files. */
export function movesAmong(before: FileNames, to: Moves['to']): Moves {
  return { to, before, after: filesWith(before, to.values(), (path) => to.has(path)) };
}

/** Returns files with those that came, and without those that are gone. */
function filesWith(
  before: FileNames,
  came: Iterable<VaultPath | null>,
  isGone: (path: VaultPath) => boolean,
): FileNames {
  const arrived = new Map<string, VaultPath[]>();
  for (const path of came) {
    if (path === null) continue;
    for (const key of [path, fileName(path), linkPath(fileName(path))].map((each) => each.toLowerCase()))
      arrived.set(key, [...(arrived.get(key) ?? []), path]);
  }
  return {
    at(path) {
      const wanted = path.toLowerCase();
      const there = arrived.get(wanted)?.filter((each) => each.toLowerCase() === wanted) ?? [];
      return [...there, ...before.at(path).filter((each) => !isGone(each) && !there.includes(each))];
    },
    first(name, passes) {
      const stayed = before.first(name, (path) => !isGone(path) && passes(path));
      const all = [
        ...(arrived.get(name.toLowerCase())?.filter(passes) ?? []),
        ...(stayed === null ? [] : [stayed]),
      ];
      return all.sort(compareShortest)[0] ?? null;
    },
  };
}

/**
 * Returns the moves of notes that others have moved already, so that the files are those after them.
 * @param to from each former place to the present one, those of a note with the newest first
 */
export function movedAlready(after: FileNames, to: ReadonlyMap<VaultPath, VaultPath>): Moves {
  const former = new Map<VaultPath, VaultPath[]>();
  for (const [from, path] of to) former.set(path, [from, ...(former.get(path) ?? [])]);
  return { to, before: filesWith(after, to.keys(), (path) => former.has(path)), after, former };
}

/**
 * What becomes of a link: its words alone, or a target as it is written. `words` are those that a link without words gets, which showed
 * them by itself; null when it loses its own, which it then shows by itself.
 */
export type Followed = 'text' | { readonly target: string; readonly words?: string | null };

/**
 * Returns what becomes of a link in the note at `at` so that it opens after moves what it opened before; null when it stays as it is. It
 * keeps its form: a name stays a name while one opens the file, with as many folders as that takes; a path stays a path from the root,
 * or from the note. A wikilink stays as it is where no path that it can hold opens the file.
 */
export function followed(link: WrittenLink, at: VaultPath, moves: Moves): Followed | null {
  return following(link, at, moves)?.made ?? null;
}

/** A link that does not stay as it is when notes move: what it opened before, and what becomes of it. */
interface Following {
  readonly opened: VaultPath;
  readonly made: Followed;
}

/** Returns what `followed` says, and what the link opened before; null for a link that stays as it is. */
export function following(link: WrittenLink, at: VaultPath, moves: Moves): Following | null {
  const { opening, after, former } = moves;
  if (opening !== undefined && opens(link.target, at, after, isRelative(link)) !== null) {
    const astray = opening.get(at);
    return astray === undefined ? null : following(link, at, astray);
  }
  // A note that has moved already was written at one of its former places, or since then.
  const places = former?.get(at) ?? [];
  for (const place of opening === undefined && places.length > 0 ? places : [...places, at]) {
    const opened = opens(link.target, place, moves.before, isRelative(link));
    if (opened !== null) return followingFrom(link, place, opened, moves);
  }
  return null;
}

function followingFrom(link: WrittenLink, at: VaultPath, opened: VaultPath, moves: Moves): Following | null {
  const { target } = link;
  const relative = isRelative(link);
  if (opened !== (moves.only ?? opened)) return null;
  const goal = moves.to.has(opened) ? (moves.to.get(opened) ?? null) : opened;
  if (goal === null) return { opened, made: 'text' };
  const place: Place = { at: moves.to.get(at) ?? at, files: moves.after, relative };
  const plain = target.trim().replace(/\\/g, '/');
  const form = formOf(plain, at, opened, relative);
  // A path from the note stays one, although the app would still find its last name.
  const isKept = form !== 'note' || formOf(plain, place.at, goal, relative) === 'note';
  if (isKept && opens(target, place.at, place.files, relative) === goal) return null;
  const made = written(link, form, goal, place);
  return made === null ? null : { opened, made };
}

/** Returns how a link of a text that stands at `at` leads to a file, in its own form; null when it opens that file as it is. */
export function ledTo(link: WrittenLink, goal: VaultPath, at: VaultPath, files: FileNames): Followed | null {
  const relative = isRelative(link);
  if (opens(link.target, at, files, relative) === goal) return null;
  const form = formOf(link.target.trim().replace(/\\/g, '/'), at, goal, relative);
  return written(link, relative && form === 'root' ? 'note' : form, goal, { at, files, relative });
}

/** Returns a link to a file in a form; null when no wikilink can name the file. */
function written(link: WrittenLink, form: Form, goal: VaultPath, place: Place): Followed | null {
  const { target, text, fragment } = link;
  const whole = isMarkdown(goal) && isMarkdown(target.trim()) ? goal.slice(linkPath(goal).length) : '';
  const path = `${pathIn(form, goal, place)}${whole}`;
  if (place.relative) return { target: pathAddress(path) };
  if (UNLINKABLE.test(path)) return null;
  if (link.kind !== 'wikilink' || path === target) return { target: path };
  const heading = fragment === null ? '' : ` > ${fragment}`;
  if (text === null) return { target: path, words: `${target}${heading}` };
  // Words that a link shows by itself need no alias: the target that it had opens the file again.
  const former = text.endsWith(heading) ? text.slice(0, text.length - heading.length) : '';
  const isFormer = former === path || form === 'name' || former.includes('/');
  return isFormer && !UNLINKABLE.test(former) && opens(former, place.at, place.files) === goal
    ? { target: former, words: null }
    : { target: path };
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
