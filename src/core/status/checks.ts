import { checkAuditEnd } from '../audit/verify';
import { BrainError, called } from '../base/errors';
import { isSha, sha256 } from '../base/hash';
import { holdsKey, hostOf, keyAdvice, mayCarryKey } from '../base/redact';
import { LOCAL_CONVERTER } from '../config/config';
import { SETTINGS } from '../config/settings';
import { unwatchable } from '../documents/paths';
import { rootNotePath } from '../notes/root';
import type { Brain } from '../operation/context';
import { MAX_ROOT_NOTE } from '../operation/fields';
import { type ChangeFeed, SILENT_MS } from '../ports/ports';
import { leftLinks } from '../review/left-links';
import { readRules } from '../rules/file';
import { journalPath, openRecords } from '../storage/journal';
import { wingIndexPath } from '../vocabulary/address';
import { type Check, someOf } from '../vocabulary/check';
import { inMebibytes, MAX_NOTE_BYTES } from '../vocabulary/limits';
import { MEND_SETTINGS, scopeSentence } from '../vocabulary/read-scope';
import { fold, isMarkdown, LAYOUT, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { attachmentsCheck } from './attachments';
import { pastCheck, roomCheck } from './kept';
import { meaningCheck } from './meaning';

const CONVERTER_NAME = 'converter';
const CONVERTER_ADDRESS = `"${SETTINGS.converterUrl.name}" (CONVERTER_URL)`;

/** Returns what a person can do so that the service at an address gets its key. */
function keyFix(url: string): string {
  const advice = keyAdvice(hostOf(url).replace(/:\d+$/, ''));
  return `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
}

/** Checks whether Office documents and images can be converted, and names the converter. Calls no service. */
export function converterCheck({ config }: Pick<Brain, 'config'>): Check {
  const { converterUrl, converterToken, plainHosts } = config;
  if (converterUrl === undefined) {
    return {
      name: CONVERTER_NAME,
      state: 'ok',
      message: `None is set: Office documents and images stay where they are. The built-in one (${LOCAL_CONVERTER}) reads Office documents.`,
    };
  }
  if (converterUrl === LOCAL_CONVERTER)
    return {
      name: CONVERTER_NAME,
      state: 'ok',
      message:
        'Office documents are read on this machine by the built-in converter. Images stay where they are.',
    };
  const hasKey = converterToken !== undefined || holdsKey(converterUrl);
  if (hasKey && !mayCarryKey(converterUrl, plainHosts)) {
    return {
      name: CONVERTER_NAME,
      state: 'failed',
      message: `No document is sent to ${hostOf(converterUrl)}: the token would cross the network unencrypted.`,
      fix: keyFix(converterUrl),
    };
  }
  const message = `Office documents and images are sent to ${hostOf(converterUrl)}.`;
  if (mayCarryKey(converterUrl, plainHosts)) return { name: CONVERTER_NAME, state: 'ok', message };
  return {
    name: CONVERTER_NAME,
    state: 'warning',
    message: `${message} They cross the network unencrypted.`,
    fix: `Give ${CONVERTER_ADDRESS} an address that begins with https://.`,
  };
}

/** Why files are left in the inbox, and what a person can do. */
const LEFT_ALONE = [
  [
    'no_converter',
    'Only a converter reads these, and none that does is set (CONVERTER_URL; local: is the built-in one, for Office files):',
  ],
  ['unknown_type', 'These are of kinds that are not read; save them as text or PDF, or take them away:'],
  ['empty', 'These are empty:'],
] as const;

/** Checks the inbox: a file that waits for a person indefinitely is easily overlooked. */
async function inboxCheck({ inbox, config }: Brain): Promise<Check> {
  const name = 'inbox';
  const { state, reason, folder, waiting, left } = inbox.state;
  const failed = await inbox.quarantined();
  if (reason === 'folder_not_allowed') {
    return {
      name,
      state: 'failed',
      message: unwatchable(config.watchDir),
      fix: 'Name another folder, such as inbox, in the setting "Inbox folder" or BRAIN_WATCH_DIR.',
      action: 'open-settings',
    };
  }
  const stuck = left.filter((file) => file.reason === 'failed').map(({ path }) => path);
  const kept = LEFT_ALONE.flatMap(([why, remedy]) => {
    const paths = left.filter((file) => file.reason === why).map(({ path }) => path);
    return paths.length === 0 ? [] : [`${remedy} ${someOf(paths)}.`];
  });
  const wait = waiting.length === 1 ? 'waits' : 'wait';
  const told = [
    failed.length > 0 &&
      `${files(failed.length)} could not be ingested: ${someOf(failed.map(({ path }) => path))}.`,
    stuck.length > 0 && `Neither ingested nor moved out of the way: ${someOf(stuck)}.`,
    waiting.length > 0 &&
      `${files(waiting.length)} in ${folder} ${state === 'on' ? `stood there before and ${wait}` : wait} for your word.`,
  ].filter((part) => part !== false);
  const fixes = [
    failed.length > 0 &&
      'See the reason in the note beside each; put it right and try again, or remove the file.',
    stuck.length > 0 && 'See the log of the server for the reason. They are tried again at the next start.',
  ].filter((part) => part !== false);
  if (told.length === 0) {
    if (state === 'starting') told.push('The inbox is being looked through.');
    else if (state === 'on') told.push(`What is put into ${folder} is ingested.`);
    else told.push(reason === 'other_device' ? 'Another device watches the inbox.' : 'No inbox is watched.');
  }
  const message = [...told, ...kept].join(' ');
  return fixes.length === 0 ? fine(name, message) : { name, state: 'warning', message, fix: fixes.join(' ') };
}

/** Checks the rules that promote queued notes: one that has stopped by itself promotes nothing until a person looks. */
async function rulesCheck({ state, device }: Pick<Brain, 'state' | 'device'>): Promise<Check> {
  const name = 'rules';
  const { rules, problem } = await readRules(state);
  if (problem !== undefined) {
    const fix =
      'Bring the file back from a backup, or make the rules anew; the present file is kept beside the new one.';
    return { name, state: 'warning', message: problem, fix };
  }
  const stopped = rules.flatMap(({ name: rule, stopped: why }) =>
    why === undefined ? [] : [`"${rule}": ${why}`],
  );
  if (stopped.length > 0) {
    return {
      name,
      state: 'warning',
      message: `Switched off by itself: ${someOf(stopped)}`,
      fix: 'Put the cause right, then try the rule and switch it on again, or remove it.',
    };
  }
  const on = rules.filter((rule) => rule.on);
  if (on.length === 0) return fine(name, 'No rule promotes notes of the queue.');
  const acting = on.map((rule) => `"${rule.name}"${rule.device === device ? '' : ' (on another device)'}`);
  return fine(name, `Notes of the queue are promoted by ${someOf(acting)}.`);
}

function files(count: number): string {
  return count === 1 ? 'One file' : `${count} files`;
}

const MODEL_NAME = 'language model';
const MODEL_ADDRESS = `"${SETTINGS.llmUrl.name}" (BRAIN_LLM_URL)`;
const MODEL = `"${SETTINGS.llmModel.name}" (BRAIN_LLM_MODEL)`;

/** Checks whether a model makes answers and pages, and names the service that gets the questions. Calls no service. */
export function modelCheck({ config }: Pick<Brain, 'config'>): Check {
  const { llmUrl, llmModel, llmKey, plainHosts } = config;
  if (llmUrl === undefined && llmModel === undefined) {
    const message =
      'None is set: answers are passages of the notes, word for word, and documents become notes as they are.';
    return { name: MODEL_NAME, state: 'ok', message };
  }
  if (llmUrl === undefined || llmModel === undefined) {
    const [given, missing] = llmUrl === undefined ? [MODEL, MODEL_ADDRESS] : [MODEL_ADDRESS, MODEL];
    return {
      name: MODEL_NAME,
      state: 'warning',
      message: `${given} is set but ${missing} is not, so no language model is asked.`,
      fix: 'Set both, or neither.',
    };
  }
  const hasKey = llmKey !== undefined || holdsKey(llmUrl);
  if (hasKey && !mayCarryKey(llmUrl, plainHosts)) {
    return {
      name: MODEL_NAME,
      state: 'failed',
      message: `${llmModel} at ${hostOf(llmUrl)} is asked nothing: the key would cross the network unencrypted.`,
      fix: keyFix(llmUrl),
    };
  }
  const message = `Questions with the notes found for them, and documents that are ingested, go to ${llmModel} at ${hostOf(llmUrl)}.`;
  return { name: MODEL_NAME, state: 'ok', message };
}

/**
 * The age after which a change of another device counts as interrupted (ms). A younger one may still run while its folder is
 * synced here.
 */
const ABANDONED_MS = 60 * 60 * 1000;
/** The key of notes without text, which are no duplicates of each other. */
const NOTHING = sha256('');

/** Reports what recovery finished, undid, and leaves to a person. */
function recoveryCheck({ recovery }: Pick<Brain, 'recovery'>): Check {
  const name = 'recovery';
  const { finished, undone, attention } = recovery;
  const settled = [
    ...(finished.length === 0 ? [] : [`Finished at start: ${someOf(finished)}.`]),
    ...(undone.length === 0 ? [] : [`Undone at start: ${someOf(undone)}.`]),
  ];
  if (attention.length > 0) {
    return {
      name,
      state: 'warning',
      message: [...attention, ...settled].join(' '),
      fix: 'Look at the named notes and keep what is right; nothing was deleted.',
    };
  }
  return { name, state: 'ok', message: settled.join(' ') || 'Nothing was left half done.' };
}

/** Finds queued notes that are also in the wiki, as an interrupted promotion without a journal would leave them. */
async function twinsCheck(brain: Brain): Promise<Check> {
  const name = 'twins';
  const { catalog, pace } = brain;
  if (brain.reading() !== null) return { name, state: 'ok', message: 'The notes are still being read.' };
  const twins: string[] = [];
  for (const note of catalog.notes('raw')) {
    await pace.run(() => {
      if (note.content_key === NOTHING) return;
      const twin = catalog.keyOwners(note.content_key).find((path) => isPromoted(catalog, path));
      if (twin !== undefined) twins.push(`${note.path} and ${twin}`);
    });
  }
  if (twins.length === 0)
    return { name, state: 'ok', message: 'No note stands both in the queue and in the wiki.' };
  return {
    name,
    state: 'warning',
    message: `The same note in the queue and, promoted, in the wiki: ${someOf(twins)}.`,
    fix: 'Compare the two and reject the one in the queue if it adds nothing; nothing is deleted by itself.',
  };
}

function isPromoted(catalog: Brain['catalog'], path: VaultPath): boolean {
  return zoneOf(path) === 'wiki' && typeof catalog.record(path)?.frontmatter.promoted_at === 'string';
}

/** Finds journals of other devices with changes open for more than an hour: those devices stopped in the middle of a change. */
async function otherDevicesCheck({ state, device, clock }: Brain): Promise<Check> {
  const name = 'other devices';
  const oldest = clock.now().getTime() - ABANDONED_MS;
  const left: string[] = [];
  for (const other of await otherDevices({ state, device })) {
    const path = journalPath(other);
    const records = openRecords((await state.read(path)) ?? '');
    if (records.some(({ id }) => !(begunAt(id) > oldest))) left.push(path);
  }
  if (left.length === 0) {
    return { name, state: 'ok', message: 'No other device left an unfinished change here.' };
  }
  return {
    name,
    state: 'warning',
    message: `Another device has unfinished changes: ${left.join(', ')}.`,
    fix: 'Start Brain Server on that device; it settles them.',
  };
}

/** Returns the start of a change in milliseconds since the epoch; NaN when its id has none. */
function begunAt(id: string): number {
  return Number(/^(\d+)-/.exec(id)?.[1]);
}

/** Finds files of the service's state that belong to nothing. With `probe` it also searches the history, which may be large. */
async function orphansCheck(
  { state, device, pace }: Brain,
  { probe }: { readonly probe: boolean },
): Promise<Check> {
  const name = 'orphans';
  const orphans: string[] = [];
  for (const other of await otherDevices({ state, device })) {
    orphans.push(...(await state.list(`local.${other}/tmp`)));
  }
  for (const path of probe ? await state.list('history') : []) {
    await pace.run(() => {
      if (!isVersion(path)) orphans.push(path);
    });
  }
  if (orphans.length === 0) return { name, state: 'ok', message: 'No file of the service lies about.' };
  return {
    name,
    state: 'warning',
    message: `Files in .brain that belong to nothing: ${someOf(orphans)}.`,
    fix: 'Look whether you need them, then delete them. A device that works at this moment has some for an instant.',
  };
}

/** Returns true for the path of a version: `history/<first two digits>/<hash>.md`. */
function isVersion(path: string): boolean {
  const [, folder = '', hash = ''] = /^history\/([^/]+)\/([^/]+)\.md$/.exec(path) ?? [];
  return isSha(hash) && hash.startsWith(folder) && folder.length === 2;
}

async function otherDevices({ state, device }: Pick<Brain, 'state' | 'device'>): Promise<string[]> {
  return (await state.folders('')).flatMap((folder) => {
    const other = /^local\.(.+)$/.exec(folder)?.[1];
    return other === undefined || other === device ? [] : [other];
  });
}

/** Options of the checks. */
export interface LookOptions {
  /** True to run now the checks that otherwise run at most once a minute. */
  readonly probe: boolean;
}

type Look = (brain: Brain, options: LookOptions) => Check | Promise<Check>;

/** The checks of the doctor, in the order of display. */
const LOOKS: readonly (readonly [name: string, look: Look])[] = [
  ['version', ({ version }) => fine('version', `Brain Server ${version}.`)],
  ['vault layout', layoutCheck],
  ['storage', storageCheck],
  ['recovery', recoveryCheck],
  ['twins', twinsCheck],
  ['orphans', orphansCheck],
  ['other devices', otherDevicesCheck],
  ['past', pastCheck],
  ['room', roomCheck],
  ['tokens', authCheck],
  ['audit', auditCheck],
  ['root note', rootNoteCheck],
  ['maps', mapsCheck],
  ['unreadable files', unreadableCheck],
  ['damaged notes', damagedCheck],
  ['names', namesCheck],
  ['moved notes', movedCheck],
  ['what is read', scopeCheck],
  ['inbox', inboxCheck],
  ['attachments', attachmentsCheck],
  ['rules', rulesCheck],
  ['language model', modelCheck],
  ['converter', converterCheck],
];

/**
 * Runs every cheap check of the service, then those of the host. Never rejects: a check that throws has failed, and the log
 * says why.
 */
export async function statusChecks(brain: Brain, options: LookOptions = { probe: false }): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, look] of LOOKS)
    checks.push(...(await looked(brain, name, async () => [await look(brain, options)])));
  const { hybrid, servers } = brain;
  if (servers.feed !== null) checks.push(feedCheck(servers.feed));
  if (hybrid !== null) {
    checks.push(...(await looked(brain, 'hybrid', () => hybrid.checks())));
    checks.push(...(await looked(brain, 'search by meaning', async () => meaningCheck(brain))));
  }
  checks.push(...(await looked(brain, 'host', () => brain.hostChecks(options))));
  return checks;
}

async function looked(
  brain: Brain,
  name: string,
  look: () => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  try {
    return await look();
  } catch (error) {
    // Closing the vault cancels running checks, and nobody reads their results.
    const isClosing = error instanceof BrainError && error.code === 'starting' && brain.pace.isStopped;
    if (!isClosing) brain.log.error('status.check', { name, message: String(error) });
    const fix = 'Look into the log of the server for the reason.';
    return [{ name, state: 'failed', message: 'This could not be looked at.', fix }];
  }
}

/** Checks whether this server keeps up with what the others of a shared vault write. Asks nobody. */
function feedCheck({ position, silentMs, unconfirmedMs }: ChangeFeed): Check {
  const name = 'other servers';
  if (silentMs >= SILENT_MS) {
    return {
      name,
      state: 'failed',
      message: `The database has not answered for ${Math.round(silentMs / 1000)} s: what other servers write is not seen, and nothing can be written.`,
      fix: 'See that the database runs and that this machine reaches it. The server goes on by itself, from where it stood.',
    };
  }
  if (unconfirmedMs >= SILENT_MS) {
    return {
      name,
      state: 'failed',
      message: `The database has acknowledged no change for ${Math.round(unconfirmedMs / 1000)} s: notes can be read, and nothing can be written.`,
      fix: 'See that the synchronous standby runs, that the disk of the database has room, and that the address leads to the primary. The server goes on by itself.',
    };
  }
  if (silentMs > 1_000) {
    return fine(
      name,
      `The database last answered ${Math.round(silentMs / 100) / 10} s ago; this server has read up to ${position}.`,
    );
  }
  return fine(name, `What they write is seen within a second; this server has read up to ${position}.`);
}

function fine(name: string, message: string): Check {
  return { name, state: 'ok', message };
}

async function layoutCheck({ vault }: Brain): Promise<Check> {
  const name = 'vault layout';
  const missing: string[] = [];
  for (const folder of LAYOUT) {
    if ((await vault.missingFolders(vaultPath(`${folder}/x.md`))).length > 0) missing.push(folder);
  }
  if (missing.length === 0) return fine(name, `${LAYOUT.join(', ')} are where they belong.`);
  return {
    name,
    state: 'warning',
    message: `Missing: ${missing.join(', ')}.`,
    fix: 'Make them, or leave it: each is made when something is first written to it.',
    action: 'make-folders',
  };
}

/**
 * The time for which the result of a probe is valid (ms): a page that checks after every change must not write and sync a file
 * each time.
 */
const PROBE_HOLDS_MS = 60_000;

/** Returns true while a result from `at` is valid; a clock that was set back must not prolong that. */
export function isHeld(at: number, now: number): boolean {
  return now >= at && now - at < PROBE_HOLDS_MS;
}

/** Returns the result of the last probe within its validity; otherwise runs a new one. */
async function storageCheck(brain: Brain, { probe }: LookOptions): Promise<Check> {
  const now = brain.clock.now().getTime();
  const last = brain.checks.storage;
  if (!probe && last !== null && isHeld(last.at, now)) return last.check;
  const check = await probeStorage(brain);
  brain.checks.storage = { at: now, check };
  return check;
}

/** Writes to the service's own folder, which is on the disk of the notes, so this also finds a full or read-only disk. */
async function probeStorage({ state, device, log }: Brain): Promise<Check> {
  const name = 'storage';
  const path = `local.${device}/probe`;
  try {
    await state.write(path, 'ok\n');
    await state.remove(path);
  } catch (error) {
    log.error('status.storage', { message: String(error) });
    return {
      name,
      state: 'failed',
      message: 'The folder .brain in the vault cannot be written, so nothing can be changed.',
      fix: 'See that the disk has room and that this user may write to it.',
    };
  }
  return fine(name, 'The service can write its own state.');
}

function authCheck({ config }: Brain): Check {
  if (config.auth) return fine('tokens', 'Every request needs a token.');
  return {
    name: 'tokens',
    state: 'warning',
    message: 'Anyone on this machine can read and write: authentication is off.',
    fix: 'Unset BRAIN_AUTH and start again.',
  };
}

async function auditCheck({ state, device, auditEnds }: Brain): Promise<Check> {
  const name = 'audit';
  const { lines, problems } = await checkAuditEnd(state, device, auditEnds);
  const [problem] = problems;
  if (problem === undefined) {
    return lines === 0
      ? { ...fine(name, 'No agent has called a tool yet.'), action: 'open-connect' }
      : fine(
          name,
          lines === 1
            ? 'The last line of the log is whole.'
            : `The last ${lines} lines of the log are whole.`,
        );
  }
  return {
    name,
    state: 'failed',
    message: `${problem.file}, line ${problem.line}: ${problem.problem}`,
    fix: 'Verify the whole log to see how far it is affected, and compare it with a backup.',
    action: 'open-audit',
  };
}

async function rootNoteCheck(brain: Brain): Promise<Check> {
  const name = 'root note';
  const path = await rootNotePath(brain);
  const stat = await brain.vault.stat(path);
  if (stat === null) {
    return {
      name,
      state: 'warning',
      message: `There is no ${path}, so agents are not told how to use this vault.`,
      fix: `Write ${path}, or let an agent with the scope "admin" write it.`,
    };
  }
  if (stat.size <= MAX_ROOT_NOTE) return fine(name, `${path} guides every agent, in ${stat.size} bytes.`);
  return {
    name,
    state: 'warning',
    message: `${path} has ${stat.size} bytes, and agents read it whole.`,
    fix: `Shorten it to ${MAX_ROOT_NOTE / 1024} KiB or less.`,
  };
}

/** Finds wings with notes of the service and without a map, which somebody may have deleted. */
function mapsCheck(brain: Brain): Check {
  const name = 'maps';
  const { catalog } = brain;
  if (brain.reading() !== null) return fine(name, 'The notes are still being read.');
  const without = catalog
    .wings()
    .filter((wing) => catalog.taken(wingIndexPath(wing)) === null)
    .filter((wing) => catalog.notesOfWing(wing).some((note) => note.written_by !== undefined));
  if (without.length === 0) return fine(name, 'Every wing that agents write to has its map.');
  return {
    name,
    state: 'warning',
    message: `Wings without their map, _index.md: ${someOf(without)}.`,
    fix: 'Rebuild the maps, here or with the command "index".',
    action: 'rebuild-index',
  };
}

async function unreadableCheck({ catalog, pace }: Brain): Promise<Check> {
  const name = 'unreadable files';
  const paths: string[] = [];
  const large: string[] = [];
  const tangled: string[] = [];
  const held: string[] = [];
  // The disk is not read: there may be so many files that their answers would block the thread.
  for (const [path, { tooLarge, entangled, forgotten }] of [...catalog.unreadable]) {
    await pace.run(() => {
      if (entangled) tangled.push(path);
      else if (forgotten) held.push(path);
      else if (tooLarge === null) paths.push(path);
      else large.push(`${path} (${inMebibytes(tooLarge)})`);
    });
  }
  const partly: string[] = [];
  for (const note of catalog.records()) await pace.run(() => note.partly && partly.push(note.path));
  if (paths.length + large.length + tangled.length + held.length + partly.length === 0)
    return fine(name, 'Every note that was found can be read.');
  const messages: string[] = [];
  const fixes: string[] = [];
  if (paths.length > 0) {
    const notes = paths.length === 1 ? 'One note' : `${paths.length} notes`;
    messages.push(`${notes} cannot be read and so not be found: ${someOf(paths)}.`);
    fixes.push('Save them as UTF-8 text, and see that this user may read them.');
  }
  if (large.length > 0) {
    const notes = large.length === 1 ? 'One note is' : `${large.length} notes are`;
    messages.push(`${notes} larger than ${inMebibytes(MAX_NOTE_BYTES)}, and so not read: ${someOf(large)}.`);
    fixes.push('Split what is too large into smaller notes, or move it out of wiki, knowledge and raw.');
  }
  if (tangled.length > 0) {
    const notes = tangled.length === 1 ? 'One note is' : `${tangled.length} notes are`;
    messages.push(`${notes} too entangled to be read, and so passed over: ${someOf(tangled)}.`);
    fixes.push(
      `Split what is too entangled, or simplify its links, tables and nested markup. A new version tries it again, and so does ${called('index', 'Try again')}.`,
    );
  }
  if (held.length > 0) {
    messages.push(`Texts of forgotten notes are there again, and are held back: ${someOf(held)}.`);
    fixes.push('Another program brought them back. Delete these files, or change their text to keep them.');
  }
  if (partly.length > 0) {
    const notes = partly.length === 1 ? 'One note has' : `${partly.length} notes have`;
    messages.push(
      `${notes} more blocks, lines or marks than are read, so links, headings and block ids behind those are not known: ${someOf(partly)}.`,
    );
    fixes.push('Split what has too many into several notes.');
  }
  return {
    name,
    state: 'warning',
    message: messages.join(' '),
    fix: fixes.join(' '),
    ...(tangled.length > 0 && { action: 'try-texts-again' }),
  };
}

/** Reports files that a crash of another program or of a machine damaged; they are never changed. */
async function damagedCheck({ catalog, pace }: Brain): Promise<Check> {
  const name = 'damaged notes';
  const damaged: string[] = [];
  for (const { path, status, size, problem } of catalog.records()) {
    await pace.run(() => {
      // An empty note of the owner is no damage.
      if (status !== 'rejected' && status !== 'vault' && (size === 0 || problem !== null)) damaged.push(path);
    });
  }
  if (damaged.length === 0) return fine(name, 'No note is empty, and all front matter can be read.');
  return {
    name,
    state: 'warning',
    message: `Notes that are empty, or whose front matter cannot be read: ${someOf(damaged)}.`,
    fix: 'Open them and mend what stands between the lines of ---, or take an earlier text from their history or a backup.',
  };
}

/** Finds links that notes left which somebody moved by hand; it looks at most once a minute. */
async function movedCheck(brain: Brain, { probe }: LookOptions): Promise<Check> {
  const now = brain.clock.now().getTime();
  const last = brain.checks.moved;
  if (!probe && last !== null && isHeld(last.at, now)) return last.check;
  const check = await leftLinksCheck(brain);
  brain.checks.moved = { at: now, check };
  return check;
}

/** The most notes with links left of which one sentence tells. */
const MAX_LEFT = 3;

async function leftLinksCheck(brain: Brain): Promise<Check> {
  const name = 'moved notes';
  if (brain.reading() !== null) return fine(name, 'The notes are still being read.');
  const left = await leftLinks(brain);
  if (left.length === 0) return fine(name, 'No note that was moved by hand has left a link behind.');
  const kinds = left.map(
    ({ path, now, notes }) =>
      `links to ${path}${now === path ? '' : `, which is now ${now}`}, in ${someOf([...notes])}`,
  );
  return {
    name,
    state: 'warning',
    message: `Notes were moved by hand, and these links did not follow: ${kinds.slice(0, MAX_LEFT).join('; ')}${kinds.length > MAX_LEFT ? `; and ${kinds.length - MAX_LEFT} more` : ''}.`,
    fix: `Have them follow with ${called('mend_links', 'a button here')}, or change them by hand; nothing else in these notes changes.`,
    action: 'mend-links',
  };
}

/** Says what is read of the vault, and how many notes are outside it where the owner has the service's folders read alone. */
async function scopeCheck(brain: Brain, { probe }: LookOptions): Promise<Check> {
  const name = 'what is read';
  const { scope } = brain.catalog;
  const said = scopeSentence(scope);
  if (scope.unread.length > 0) return { name, state: 'warning', message: said, fix: MEND_SETTINGS };
  if (scope.unusable.length > 0) {
    return {
      name,
      state: 'warning',
      message: `${said} Obsidian's "Excluded files" have entries that are no regular expressions: ${someOf(scope.unusable)}.`,
      fix: 'Correct them in Obsidian under Settings, Files and links, Excluded files.',
    };
  }
  if (scope.scope === 'vault') return fine(name, `${said} Notes of yours: ${brain.catalog.count('vault')}.`);
  const now = brain.clock.now().getTime();
  const last = brain.checks.outside;
  const held =
    !probe && last !== null && isHeld(last.at, now) ? last : { at: now, notes: await outsideNotes(brain) };
  brain.checks.outside = held;
  const are = held.notes === 1 ? 'One note is' : `${held.notes} notes are`;
  return {
    name,
    state: 'ok',
    message: `${said} ${are} outside what is read.`,
    fix: `To have them found, set "${SETTINGS.readScope.name}" to every note of the vault (BRAIN_READ_SCOPE=vault).`,
  };
}

/** Returns the number of notes that would be read with the scope `vault`. */
async function outsideNotes({ vault, catalog }: Brain): Promise<number> {
  let notes = 0;
  const skip = (path: string): boolean => zoneOf(path) !== 'other' || catalog.scope.excludes(path);
  for await (const { path } of vault.list('', skip)) if (isMarkdown(path)) notes += 1;
  return notes;
}

/**
 * Finds paths that differ only in case or normalisation: on Windows and macOS they are one file, and a sync overwrites one with
 * the other.
 */
async function namesCheck({ catalog, pace }: Brain): Promise<Check> {
  const name = 'names';
  const first = new Map<string, string>();
  const twins: string[] = [];
  for (const path of catalog.pathsBelow('')) {
    await pace.run(() => {
      const key = fold(path);
      const twin = first.get(key);
      if (twin === undefined) first.set(key, path);
      else twins.push(`${twin} and ${path}`);
    });
  }
  if (twins.length === 0) return fine(name, 'No two files differ by upper and lower case alone.');
  return {
    name,
    state: 'warning',
    message: `Names that Windows and macOS take for one: ${someOf(twins)}.`,
    fix: 'Give one of each pair another name.',
  };
}
