/** What became of a call; `tried` is a dry run, which changes nothing. */
export type Outcome = 'failed' | 'read' | 'tried' | 'changed';

/** Tools that only read; a call of any other that went well changed something. */
const READING: ReadonlySet<string> = new Set([
  'brain_query',
  'brain_answer',
  'brain_get',
  'brain_history',
  'brain_pending',
]);

/** Tells from a line of the audit log what became of its call. */
export function outcomeOfCall({
  ok,
  tool,
  args,
}: {
  readonly ok: boolean;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}): Outcome {
  if (!ok) return 'failed';
  if (READING.has(tool)) return 'read';
  return args.dry_run === true ? 'tried' : 'changed';
}
