import { KeyedMutex } from '../base/concurrency';
import { BrainError } from '../base/errors';
import { sha256 } from '../base/hash';
import type { Unsubscribe } from '../base/host';
import { isRecord, parsedJson } from '../base/json';
import { inboxFolder, isInboxFile, PROCESSED, processedNames, unwatchable } from '../documents/paths';
import {
  type Inbox,
  type InboxState,
  MAX_FILE_BYTES,
  type QuarantinedFile,
  type WatchChoice,
} from '../documents/ports';
import { hasBytesOf, isOneFile } from '../ingest/original';
import type { Brain } from '../operation/context';
import type { VaultChange } from '../ports/ports';
import { fileName, type VaultPath, vaultPath, zoneOf } from '../vocabulary/paths';
import { InboxDrain, type Sleep } from './drain';
import { Quarantine } from './quarantine';

/**
 * Completes interrupted moves of originals, which left a file under both of its paths; resolves with the other files of the
 * inbox.
 */
async function finishMoves(
  brain: Pick<Brain, 'vault' | 'catalog' | 'writer' | 'log' | 'ledger'>,
  paths: readonly VaultPath[],
): Promise<VaultPath[]> {
  const { catalog, writer, log } = brain;
  const processed = new Map<string, VaultPath[]>();
  for (const path of catalog.pathsBelow(`${PROCESSED}/`)) {
    processed.set(fileName(path), [...(processed.get(fileName(path)) ?? []), path]);
  }
  const others: VaultPath[] = [];
  for (const from of paths) {
    const places = processedNames(fileName(from)).flatMap((name) => processed.get(name) ?? []);
    if (await writer.run(() => isMoved(brain, from, places))) log.info('inbox.settled', { path: from });
    else others.push(from);
  }
  return others;
}

/**
 * Completes a move that left both names. When the ledger lacks the file, the move is undone instead: the next ingest of the
 * file repeats it.
 */
async function isMoved(
  brain: Pick<Brain, 'vault' | 'catalog' | 'ledger'>,
  from: VaultPath,
  places: readonly VaultPath[],
): Promise<boolean> {
  for (const to of places) {
    if (!(await isOneFile(brain, from, to))) continue;
    if (((await brain.vault.stat(from))?.size ?? Infinity) > MAX_FILE_BYTES) return false;
    const bytes = await brain.vault.readBytes(from, MAX_FILE_BYTES);
    if (bytes === null) return false;
    const hash = sha256(bytes);
    if ((await brain.ledger.find(hash)) !== null) return brain.vault.move(from, to);
    if (!(await hasBytesOf(brain, to, hash))) return false;
    await brain.vault.remove(to);
    brain.catalog.drop(to);
    return false;
  }
  return false;
}

/** The saved state of this device's inbox. */
interface Kept {
  /** The watched folder; empty when none is watched. */
  readonly folder: string;
  /** True when a start of the service created the inbox, so that it is watched by default. */
  readonly made: boolean;
  readonly waiting: ReadonlySet<VaultPath>;
}

/**
 * The files that were in the inbox when it was switched on and wait for a person. The state belongs to this device, so that a
 * restart neither ingests them nor leaves files that came meanwhile, and another device that shares the vault has its own
 * switch.
 */
class InboxMemory {
  readonly #ports: Pick<Brain, 'state' | 'device' | 'log'>;
  readonly #path: string;
  readonly #queue = new KeyedMutex();
  #kept: Kept | null = null;

  constructor(ports: Pick<Brain, 'state' | 'device' | 'log'>) {
    this.#ports = ports;
    this.#path = `local.${ports.device}/inbox.json`;
  }

  /** True while it is switched on. */
  get isOn(): boolean {
    return (this.#kept?.folder ?? '') !== '';
  }

  /** True when an earlier start created the inbox and began to watch it. */
  get isMade(): boolean {
    return this.#kept?.made === true;
  }

  /** The waiting files, sorted. */
  waiting(): VaultPath[] {
    return [...(this.#kept?.waiting ?? [])].sort();
  }

  isWaiting(path: VaultPath): boolean {
    return this.#kept?.waiting.has(path) === true;
  }

  /** Loads the saved state. An unreadable one counts as none: then all files wait for a person. */
  async load(): Promise<void> {
    const { state, log } = this.#ports;
    const text = await state.read(this.#path);
    this.#kept = text === null ? null : parse(text);
    if (text !== null && this.#kept === null) log.warn('inbox.memory', { path: this.#path });
  }

  /**
   * Switches the folder on, durably. Of the existing files those wait that waited before; all of them when this folder was not
   * watched before.
   */
  async switchOn(folder: VaultPath, existing: readonly VaultPath[], made: boolean): Promise<void> {
    const before = this.#kept?.folder === folder ? this.#kept : null;
    const waiting = existing.filter((path) => before === null || before.waiting.has(path));
    await this.#keep({ folder, made: made || this.isMade, waiting: new Set(waiting) });
  }

  /**
   * Switches it off: all files wait when it is switched on again. `made` stays true, because the app and a server share this
   * state, and each has its own switch.
   */
  async switchOff(): Promise<void> {
    await this.#keep({ folder: '', made: this.isMade, waiting: new Set() });
  }

  /** Removes the files for which `isLeaving` returns true from the waiting ones, durably, and resolves with them. */
  release(isLeaving: (path: VaultPath) => boolean): Promise<VaultPath[]> {
    return this.#queue.run('', async () => {
      const leaving = new Set(this.waiting().filter(isLeaving));
      if (this.#kept === null || leaving.size === 0) return [];
      const left = this.waiting().filter((path) => !leaving.has(path));
      await this.#keep({ ...this.#kept, waiting: new Set(left) });
      return [...leaving];
    });
  }

  async #keep(kept: Kept): Promise<void> {
    const text = textOf(kept);
    if (this.#kept === null || textOf(this.#kept) !== text) await this.#ports.state.write(this.#path, text);
    this.#kept = kept;
  }
}

function textOf({ folder, made, waiting }: Kept): string {
  return `${JSON.stringify({ v: 1, folder, made, waiting: [...waiting].sort() })}\n`;
}

function parse(text: string): Kept | null {
  const data = parsedJson(text);
  if (!isRecord(data) || data.v !== 1 || typeof data.folder !== 'string') return null;
  const waiting: unknown[] = Array.isArray(data.waiting) ? data.waiting : [];
  const paths = waiting.filter((path) => typeof path === 'string').map(vaultPath);
  return { folder: data.folder, made: data.made === true, waiting: new Set(paths) };
}

/** The left files are checked again at this interval (ms): a converter may be available by then. */
const LOOK_EVERY_MS = 30_000;
/** The folder is listed again after this many checks: some drives do not report every new file. */
const LOOKS_PER_SCAN = 30;
/** A program that saves a file may remove it for this long (ms). */
const GONE_AFTER_MS = 2000;

/**
 * The inbox of a vault: follows its files and ingests them. Files from before it was switched on wait for a person; files that
 * came while the service was down are found at the start.
 */
export class WatchedInbox implements Inbox {
  readonly #brain: Brain;
  readonly #quarantine: Quarantine;
  readonly #drain: InboxDrain;
  readonly #memory: InboxMemory;
  readonly #folder: VaultPath | null;
  #state: InboxState['state'] = 'starting';
  #reason: InboxState['reason'] = null;
  /** Files that arrived before it was known whether the inbox is watched. */
  #early: VaultPath[] | null = [];
  #forget: Unsubscribe = () => undefined;

  constructor(brain: Brain, sleep: Sleep) {
    this.#brain = brain;
    this.#quarantine = new Quarantine(brain);
    this.#drain = new InboxDrain(brain, this.#quarantine, sleep);
    this.#memory = new InboxMemory(brain);
    this.#folder = inboxFolder(brain.config.watchDir);
  }

  get state(): InboxState {
    return {
      state: this.#state,
      reason: this.#reason,
      folder: this.#folder,
      waiting: this.#state === 'off' ? this.#existing() : this.#memory.waiting(),
      ...this.#drain.state,
    };
  }

  /**
   * Completes interrupted work of an earlier run, and watches the inbox if that is switched on; ingests files once `loaded`
   * resolves. Call it once. Never rejects: failures are logged and retried.
   */
  async start({ watch, elsewhere = false }: WatchChoice, loaded: Promise<void>): Promise<void> {
    if (watch === 'off' || this.#folder === null) this.#stayOff(elsewhere);
    if (this.#folder === null) {
      const { watchDir: folder } = this.#brain.config;
      this.#brain.log.warn('inbox.not_watched', { folder, message: unwatchable(folder) });
    }
    // The subscription precedes the listing, so that no file is missed.
    this.#forget = this.#brain.vault.changes((change) => this.#hear(change));
    const isLoaded = loaded.then(
      () => true,
      () => false,
    );
    for (let isSettled = false; !isSettled && !this.#drain.isStopped;) {
      isSettled = (await this.#drain.orLog('inbox.start', () => this.#settle(watch))) === true;
      if (!isSettled) await this.#drain.pause(LOOK_EVERY_MS);
    }
    if (this.#drain.isStopped || !(await isLoaded)) return;
    await this.#drain.orLog('inbox.settle', () => this.#finishMoves());
    if (this.#memory.isOn) this.#begin();
    else this.#stayOff(elsewhere);
    this.#drain.open();
  }

  async takeWaiting(): Promise<number> {
    const paths = this.#memory.isOn ? await this.#memory.release(() => true) : this.state.waiting;
    this.#drain.add(paths);
    return paths.length;
  }

  quarantined(): Promise<QuarantinedFile[]> {
    return this.#quarantine.list();
  }

  async retry(path: VaultPath, { dryRun = false }: { dryRun?: boolean } = {}): Promise<VaultPath> {
    if (this.#folder === null) {
      const { watchDir } = this.#brain.config;
      throw new BrainError(
        'path_not_allowed',
        `The inbox cannot be "${watchDir}". Set another folder first.`,
      );
    }
    const to = await this.#quarantine.giveBack(path, this.#folder, dryRun);
    if (!dryRun) this.#drain.add([to]);
    return to;
  }

  /** Stops watching; resolves when the running ingest has ended, or after 3 s. */
  async close(): Promise<void> {
    this.#forget();
    await this.#drain.close();
  }

  async #settle(watch: WatchChoice['watch']): Promise<true> {
    await this.#memory.load();
    const isOn = watch === 'on' || watch === 'made' || (watch === 'unset' && this.#memory.isMade);
    if (this.#folder !== null && isOn) await this.#switchOn(this.#folder, watch === 'made');
    else if (this.#memory.isOn) await this.#memory.switchOff();
    this.#early = null;
    await this.#quarantine.settle();
    return true;
  }

  /** Runs before the first ingest: otherwise a processed file would be ingested again. */
  async #finishMoves(): Promise<void> {
    const existing = this.#memory.isOn && this.#folder !== null ? await this.#list(this.#folder) : [];
    const others = new Set(
      await finishMoves(
        this.#brain,
        existing.filter((path) => !this.#memory.isWaiting(path)),
      ),
    );
    for (const path of existing) if (!others.has(path)) this.#drain.forget(path);
  }

  async #switchOn(folder: VaultPath, made: boolean): Promise<void> {
    const existing = await this.#list(folder);
    await this.#memory.switchOn(folder, existing, made);
    // A file that came after the listing is only in the events.
    const all = [...existing, ...(this.#early ?? [])];
    this.#drain.add(all.filter((path) => !this.#memory.isWaiting(path)));
  }

  #begin(): void {
    this.#state = 'on';
    this.#brain.log.info('inbox.watched', { folder: this.#folder, waiting: this.#memory.waiting().length });
    void this.#keepLooking();
  }

  #stayOff(elsewhere: boolean): void {
    this.#state = 'off';
    const isAllowed = this.#folder !== null;
    this.#reason = !isAllowed ? 'folder_not_allowed' : elsewhere ? 'other_device' : 'not_switched_on';
  }

  async #list(folder: VaultPath): Promise<VaultPath[]> {
    const paths: VaultPath[] = [];
    for await (const { path } of this.#brain.vault.list(folder))
      if (isInboxFile(folder, path)) paths.push(path);
    return paths;
  }

  /** Returns the files of an inbox that is not watched, as the catalog knows them, without queued ones. */
  #existing(): VaultPath[] {
    const folder = this.#folder;
    if (folder === null) return [];
    const paths = this.#brain.catalog.pathsBelow(`${folder}/`);
    return paths.filter((path) => isInboxFile(folder, path) && !this.#drain.knows(path));
  }

  #hear({ kind, path }: VaultChange): void {
    if (zoneOf(path) === 'quarantine') this.#quarantine.changed(path);
    if (this.#folder === null || !isInboxFile(this.#folder, path)) return;
    if (this.#early !== null) {
      if (kind === 'changed') this.#early.push(path);
    } else if (this.#memory.isWaiting(path)) {
      if (kind === 'removed') void this.#notWaiting(path);
    } else if (kind === 'removed') this.#drain.forget(path);
    else if (this.#memory.isOn) this.#drain.add([path]);
  }

  /** Handles the removal of a waiting file. A later file at its path is a new one. */
  async #notWaiting(path: VaultPath): Promise<void> {
    await this.#drain.pause(GONE_AFTER_MS);
    if (this.#drain.isStopped || (await this.#drain.statOf(path)) !== null) return;
    await this.#drain.orLog('inbox.memory', () => this.#memory.release((other) => other === path));
  }

  async #keepLooking(): Promise<void> {
    for (let looks = 1; !this.#drain.isStopped; looks += 1) {
      await this.#drain.pause(LOOK_EVERY_MS);
      if (this.#drain.isStopped) return;
      this.#drain.lookAgain();
      if (looks % LOOKS_PER_SCAN === 0) await this.#drain.orLog('inbox.scan', () => this.#scan());
    }
  }

  async #scan(): Promise<void> {
    if (this.#folder === null) return;
    const existing = new Set(await this.#list(this.#folder));
    for (const { path } of this.#drain.state.left) if (!existing.has(path)) this.#drain.forget(path);
    await this.#memory.release((path) => !existing.has(path));
    this.#drain.add([...existing].filter((path) => !this.#memory.isWaiting(path)));
  }
}
