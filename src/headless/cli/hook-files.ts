import { mkdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { writeWhole } from '../../adapters/files/disk';
import { hasCode } from '../../adapters/files/file-system';
import type { Environment } from '../../adapters/host/config-folder';
import { isRecord, parsedJson } from '../../core/base/json';
import { CommandError, unreadable } from '../terminal/io';

/** The clients whose hooks are known. */
export const HOOK_CLIENTS = ['claude-code', 'codex', 'cursor'] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

type Members = Readonly<Record<string, unknown>>;

/** The seconds after which a client ends the hook by itself; the hook ends long before. */
const TIMEOUT_S = 5;

/** A file of hooks as it is, and as it is to be. */
export interface HookChange {
  readonly file: string;
  /** Its text; null for no file. */
  readonly before: string | null;
  /** The text that it gets; null when it goes, because nothing else is in it. */
  readonly after: string | null;
}

/**
 * Returns how the file of a client changes when its hooks start `command`, or, with null, when they are removed. All else in it stays.
 * @throws CommandError for a file that cannot be read or has another form
 */
export async function hookChange(
  client: HookClient,
  command: string | null,
  env: Environment,
): Promise<HookChange> {
  const file = hookFile(client, env);
  const before = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw unreadable(file, error);
  });
  const text = (before ?? '').replace(/^\uFEFF/, '');
  const parsed = text.trim() === '' ? {} : parsedJson(text);
  if (!isRecord(parsed)) throw otherForm(file, 'no object of JSON');
  const { hooks = {} } = parsed;
  if (!isRecord(hooks)) throw otherForm(file, '"hooks" is no object');
  const events = client === 'cursor' ? ['sessionStart', 'stop'] : ['SessionStart', 'Stop'];
  const changed: Record<string, unknown> = { ...hooks };
  for (const event of events) {
    const list = hooks[event] ?? [];
    if (!Array.isArray(list)) throw otherForm(file, `"hooks.${event}" is no list`);
    const others = list.flatMap((entry: unknown) => withoutOurs(entry, client));
    const entries = command === null ? others : [...others, entryOf(client, command)];
    if (entries.length > 0) changed[event] = entries;
    else delete changed[event];
  }
  if (JSON.stringify(changed) === JSON.stringify(hooks)) return { file, before, after: before };
  const { hooks: _, ...rest } = parsed;
  const isLeft = Object.keys(changed).length > 0;
  if (!isLeft && Object.keys(rest).every((key) => key === 'version')) return { file, before, after: null };
  const version = client === 'cursor' && parsed.version === undefined ? { version: 1 } : {};
  const whole: Members = isLeft ? { ...version, ...parsed, hooks: changed } : rest;
  const indent = /^\{\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return { file, before, after: `${JSON.stringify(whole, null, indent)}\n` };
}

/** Makes a change durable; a cut leaves the file as it was or as it is to be. @throws CommandError when the file cannot be written */
export async function writeHookChange({ file, after }: HookChange): Promise<void> {
  try {
    // A file that is kept elsewhere and linked from here stays so.
    const real = await realpath(file).catch(() => file);
    if (after === null) return await rm(real, { force: true });
    await mkdir(path.dirname(real), { recursive: true });
    const mode = await stat(real).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    await writeWhole(real, new TextEncoder().encode(after), { mode });
  } catch (error) {
    throw new CommandError(
      `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function hookFile(client: HookClient, env: Environment): string {
  const home = env.HOME || homedir();
  switch (client) {
    case 'claude-code':
      return path.join(env.CLAUDE_CONFIG_DIR || path.join(home, '.claude'), 'settings.json');
    case 'codex':
      return path.join(env.CODEX_HOME || path.join(home, '.codex'), 'hooks.json');
    case 'cursor':
      return path.join(home, '.cursor', 'hooks.json');
  }
}

function entryOf(client: HookClient, command: string): Members {
  const hook = { command, timeout: TIMEOUT_S };
  return client === 'cursor' ? hook : { hooks: [{ type: 'command', ...hook }] };
}

/** Returns an entry of an event without our hook; nothing for one that held no other. */
function withoutOurs(entry: unknown, client: HookClient): unknown[] {
  if (!isRecord(entry)) return [entry];
  if (client === 'cursor') return isOurs(entry, client) ? [] : [entry];
  if (!Array.isArray(entry.hooks)) return [entry];
  const hooks = entry.hooks.filter((hook: unknown) => !isOurs(hook, client));
  if (hooks.length === entry.hooks.length) return [entry];
  return hooks.length === 0 ? [] : [{ ...entry, hooks }];
}

function isOurs(hook: unknown, client: HookClient): boolean {
  return isRecord(hook) && typeof hook.command === 'string' && OURS[client].test(hook.command);
}

const OURS: Readonly<Record<HookClient, RegExp>> = {
  'claude-code': /brain.* hook claude-code(?: |$)/s,
  codex: /brain.* hook codex(?: |$)/s,
  cursor: /brain.* hook cursor(?: |$)/s,
};

function otherForm(file: string, what: string): CommandError {
  return new CommandError(
    `${file} has a form that is not known here (${what}). Nothing was changed: correct the file, or add the hooks by hand.`,
  );
}
