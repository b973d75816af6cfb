import { isRecord } from '../../core/base/json';

type Members = Readonly<Record<string, unknown>>;

/** The members that the text of an answer leaves out, by the name of the list that holds them; `''` is the answer itself. */
export type LeftOut = Readonly<Record<string, readonly string[]>>;

/** The members that `trustWords` says. */
const TRUST = [
  ...['date', 'updated_at', 'reviewed', 'edited_since', 'changed_since_review', 'verified', 'stale'],
  ...['superseded_by', 'current_hash', 'same_subject'],
];

/** Returns what members say of how far a note may be trusted, in a few words; the members themselves where they say nothing of it. */
function withTrustWords(members: Members): Members {
  if (!('stale' in members && 'date' in members)) return members;
  return { ...without(members, TRUST), trust: trustWords(members) };
}

/** Returns a path so that no part of it looks like another mark. */
function shownPath(path: string): string {
  return path.includes(',') ? JSON.stringify(path) : path;
}

/** Returns when a text is from, who had it in view, and what speaks against it. */
function trustWords(note: Members): string {
  const day = (at: unknown): string => (typeof at === 'string' ? ` ${at.slice(0, 10)}` : '');
  const by = (act: unknown, said: string): string[] =>
    isRecord(act)
      ? [`${said}${typeof act.by === 'string' ? ` by ${act.by.replaceAll(',', ' ')}` : ''}${day(act.at)}`]
      : [];
  const isOwners = note.status === 'vault' || note.status === 'attachment';
  const unreviewed = isOwners || note.reviewed === undefined ? [] : ['unreviewed'];
  const reviewed = by(note.reviewed, 'reviewed');
  return [
    `of${day(note.date)}`,
    ...(reviewed.length > 0 ? reviewed : unreviewed),
    ...by(note.verified, 'verified'),
    ...(note.edited_since === true ? ['edited by hand since'] : []),
    ...(note.changed_since_review === true ? ['changed since review'] : []),
    ...(note.stale === true ? ['stale'] : []),
    ...(typeof note.current_hash === 'string' ? [`old version, now ${note.current_hash}`] : []),
    ...(typeof note.superseded_by === 'string' ? [`superseded by ${shownPath(note.superseded_by)}`] : []),
    ...(typeof note.same_subject === 'string' ? [`same subject as ${shownPath(note.same_subject)}`] : []),
  ].join(', ');
}

/**
 * Returns an answer as text for a model: with all that its JSON says, in far fewer tokens. One line of JSON has the members that
 * are no lists of objects, without those that are false or empty. Each list of objects is a line with the names of its columns
 * and a line of JSON for each row; null is an absent value, and `all` has the values that every row shares. A `body` comes last, as
 * it is. Dates and marks of trust are a few words in `trust`. A quote that the answer holds word for word stands there only.
 *
 * Every value but the body is JSON on one line, so no value can look like another.
 */
export function answerText(answer: Members, leftOut: LeftOut = {}): string {
  const { body, ...rest } = withTrustWords(withoutQuotesTwice(answer));
  const said = Object.entries(without(rest, leftOut[''])).filter(([, value]) => !isEmpty(value));
  const tables = said.filter(([, value]) => isTable(value));
  const plain = said.filter(([, value]) => !isTable(value));
  const parts = tables.map(([name, value]) => table(name, rowsOf(value).map(withTrustWords), leftOut[name]));
  if (plain.length > 0) parts.unshift(JSON.stringify(Object.fromEntries(plain)));
  if (typeof body === 'string') parts.push(`\n${body}`);
  return parts.join('\n');
}

/** The members of a change that its text leaves out: they say what its path or a warning says, or what no next step needs. */
const UNTOLD = [
  ...['wing', 'hall', 'new_wing', 'slug', 'index', 'created', 'updated_at', 'promoted_at', 'rejected_at'],
  ...['supersedes', 'previous_hash', 'history_path', 'source_hash'],
];
/** The similar notes that the answer to a change names, and the words of each. One shared word says little. */
const SIMILAR = 2;
const SHARED = { least: 2, most: 3 };

/**
 * Returns the answer to a change as one line of JSON for a model, with what its next step may need: no empty value, of the links
 * only those about which the gate has more to say than that they lead nowhere, of the similar notes only the nearest. The hash of
 * the former version stands there when a warning speaks of it.
 */
export function changeText(answer: Members): string {
  const speaksOfIt = JSON.stringify(answer.warnings ?? []).includes('supersedes');
  return JSON.stringify({ ...told(answer, UNTOLD), ...(speaksOfIt && { supersedes: answer.supersedes }) });
}

function told(members: Members, leftOut: readonly string[]): Members {
  const said = Object.entries(without(members, leftOut)).flatMap(([name, value]): [string, unknown][] => {
    const shown = toldValue(name, value);
    return isEmpty(shown) || shown === 0 ? [] : [[name, shown]];
  });
  return Object.fromEntries(said);
}

function toldValue(name: string, value: unknown): unknown {
  if (isRecord(value)) return told(value, []);
  if (!isTable(value)) return value;
  const rows = rowsOf(value);
  if (name === 'similar') return rows.flatMap(similarTold).slice(0, SIMILAR);
  if (name === 'refs') return rows.flatMap(linkTold);
  return rows.map((row) => told(row, [...UNTOLD, 'content_hash']));
}

function similarTold({ path, shared }: Members): Members[] {
  const words = Array.isArray(shared) ? shared.slice(0, SHARED.most) : [];
  return words.length < SHARED.least ? [] : [{ path, shared: words }];
}

function linkTold({ target, reason, candidates }: Members): Members[] {
  // What leads nowhere stands in `unlinked`.
  if (reason === undefined || reason === 'missing') return [];
  return [{ target, reason, ...(!isEmpty(candidates) && { candidates }) }];
}

/** Returns an answer without the quotes that its text holds word for word. */
function withoutQuotesTwice(members: Members): Members {
  const { answer, citations } = members;
  if (typeof answer !== 'string' || !isTable(citations)) return members;
  const isSaid = ({ quote }: Members): boolean => typeof quote === 'string' && answer.includes(quote);
  return {
    ...members,
    citations: rowsOf(citations).map((each) => (isSaid(each) ? without(each, ['quote']) : each)),
  };
}

function table(name: string, rows: readonly Members[], leftOut: readonly string[] = []): string {
  const all = new Set(rows.flatMap((row) => Object.keys(row)));
  const used = [...all].filter(
    (column) => !leftOut.includes(column) && rows.some((row) => !isEmpty(row[column])),
  );
  const shared = rows.length < 2 ? [] : used.filter((column) => isShared(rows, column));
  const columns = used.filter((column) => !shared.includes(column));
  const [first = {}] = rows;
  const common = shared.map((column) => [column, first[column]]);
  const head = shared.length === 0 ? '' : ` all: ${JSON.stringify(Object.fromEntries(common))}`;
  const lines = rows.map((row) => {
    const values = columns.map((column) => (isEmpty(row[column]) ? null : row[column]));
    while (values.length > 0 && values.at(-1) === null) values.pop();
    return JSON.stringify(values);
  });
  return [`${name}: ${JSON.stringify(columns)}${head}`, ...lines].join('\n');
}

function isShared(rows: readonly Members[], column: string): boolean {
  const first = rows[0]?.[column];
  const json = JSON.stringify(first);
  return rows.every((row) => row[column] === first || JSON.stringify(row[column]) === json);
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

function rowsOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function without(members: Members, names: readonly string[] = []): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

/** Returns true for a value that says as much as none: false, null, and an empty list or object. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}
