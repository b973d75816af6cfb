import { checkAuditEnd } from '../audit/verify-audit';
import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { MAX_ROOT_NOTE } from '../fields';
import { converterCheck } from '../ingest/converter-check';
import { inboxCheck } from '../ingest/inbox-check';
import { modelCheck } from '../model/model-check';
import { wingIndexPath } from '../rules/address';
import { fold, LAYOUT, vaultPath } from '../rules/paths';
import { inMebibytes, MAX_NOTE_BYTES } from '../text-limit';
import { type Check, someOf } from './check';
import { orphansCheck, otherDevicesCheck, recoveryCheck, twinsCheck } from './recovery-checks';
import { rootNotePath } from './root-note';

/** How thoroughly to look. */
export interface LookOptions {
  /** True: what is otherwise tried at most once a minute is tried now. */
  readonly probe: boolean;
}

type Look = (brain: Brain, options: LookOptions) => Check | Promise<Check>;

/** What a doctor looks at, in the order in which it is shown. */
const LOOKS: readonly (readonly [name: string, look: Look])[] = [
  ['version', ({ version }) => fine('version', `Brain Server ${version}.`)],
  ['vault layout', layoutCheck],
  ['storage', storageCheck],
  ['recovery', recoveryCheck],
  ['twins', twinsCheck],
  ['orphans', orphansCheck],
  ['other devices', otherDevicesCheck],
  ['tokens', authCheck],
  ['audit', auditCheck],
  ['root note', rootNoteCheck],
  ['maps', mapsCheck],
  ['unreadable files', unreadableCheck],
  ['damaged notes', damagedCheck],
  ['names', namesCheck],
  ['inbox', inboxCheck],
  ['language model', modelCheck],
  ['converter', converterCheck],
];

/**
 * Looks at every part of the service that can be looked at cheaply, then at what the host adds. Never rejects: a look that
 * fails is a check that failed, and the log says why.
 */
export async function statusChecks(brain: Brain, options: LookOptions = { probe: false }): Promise<Check[]> {
  const checks: Check[] = [];
  for (const [name, look] of LOOKS)
    checks.push(...(await looked(brain, name, async () => [await look(brain, options)])));
  const { hybrid } = brain;
  if (hybrid !== null) checks.push(...(await looked(brain, 'hybrid', () => hybrid.checks())));
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
    // Whoever closes the vault ends the looks that are under way, and nobody is left to read what they say.
    const isClosing = error instanceof BrainError && error.code === 'starting' && brain.pace.isStopped;
    if (!isClosing) brain.log.error('status.check', { name, message: String(error) });
    const fix = 'Look into the log of the server for the reason.';
    return [{ name, state: 'failed', message: 'This could not be looked at.', fix }];
  }
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

/** A page that looks after every change must not write and sync a file each time. In milliseconds. */
const PROBE_HOLDS_MS = 60_000;

/** True while what was found at one time may stand for how it is now; a clock that was set back must not hold it for longer. */
export function isHeld(at: number, now: number): boolean {
  return now >= at && now - at < PROBE_HOLDS_MS;
}

const probes = new WeakMap<Brain['state'], { readonly at: number; readonly check: Check }>();

/** What the last try found, when that was within a minute; else what a new one finds. */
async function storageCheck(brain: Brain, { probe }: LookOptions): Promise<Check> {
  const now = brain.clock.now().getTime();
  const last = probes.get(brain.state);
  if (!probe && last !== undefined && isHeld(last.at, now)) return last.check;
  const check = await probeStorage(brain);
  probes.set(brain.state, { at: now, check });
  return check;
}

/** The service's own folder lies on the disk of the notes, so this also tells of a full disk and one that is read only. */
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

/** A wing with notes of ours ought to have a map; somebody may have deleted it. */
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
  // The disk is not asked: there may be so many that the answers alone would hold the thread.
  for (const [path, { tooLarge }] of [...catalog.unreadable]) {
    await pace.run(() => {
      if (tooLarge === null) paths.push(path);
      else large.push(`${path} (${inMebibytes(tooLarge)})`);
    });
  }
  if (paths.length + large.length === 0) return fine(name, 'Every note that was found can be read.');
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
  return { name, state: 'warning', message: messages.join(' '), fix: fixes.join(' ') };
}

/** What a crash of another program, or of a machine, leaves: told of, and never touched. */
async function damagedCheck({ catalog, pace }: Brain): Promise<Check> {
  const name = 'damaged notes';
  const damaged: string[] = [];
  for (const { path, status, size, problem } of catalog.records()) {
    await pace.run(() => {
      if (status !== 'rejected' && (size === 0 || problem !== null)) damaged.push(path);
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

/** On Windows and macOS two such files are one: whichever is synced there last takes the place of the other. */
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
