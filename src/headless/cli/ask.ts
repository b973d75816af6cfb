import type { Command } from 'commander';
import type { OperationName } from '../../core/operation/descriptors';
import type { OPERATIONS } from '../../core/registry/table';
import { type Answer, clientFrom } from '../terminal/client';
import type { Io } from '../terminal/io';
import { type Line, show } from '../terminal/output';

/**
 * Returns the options of a command as fields of an operation: `--dry-run` becomes `dry_run`. `Own` says what kinds of values those
 * options have that the command looks at itself.
 */
export function fieldsOf<Own extends object>(command: Command): Own & Readonly<Record<string, unknown>> {
  const options = Object.entries(command.opts<Record<string, unknown>>());
  const fields = options.map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  // The command declares its options itself.
  return Object.fromEntries(fields) as Own & Record<string, unknown>;
}

/** Returns true when the command was called with `--json`. */
export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ readonly json?: boolean }>().json === true;
}

/**
 * Performs an operation of the server and prints its answer. `describe` returns the lines for a person; its second
 * argument is true for a dry run.
 */
export async function ask<Name extends OperationName>(
  io: Io,
  command: Command,
  name: Name,
  fields: object,
  describe: (answer: Answer<(typeof OPERATIONS)[Name]>, dryRun: boolean) => readonly Line[],
  timeoutMs?: number,
): Promise<void> {
  const client = await clientFrom(io);
  const reply = await client.call(name, fields, timeoutMs);
  const dryRun = command.opts<{ readonly dryRun?: boolean }>().dryRun === true;
  show(io, wantsJson(command), reply, (answer) => describe(answer, dryRun));
}
