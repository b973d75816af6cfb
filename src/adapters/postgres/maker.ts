import { MakerChanged } from '../../core/vector-store';
import type { Table } from './ensure-table';
import { literal, type Query } from './sql';

/**
 * An expression for who made the rows, or null: the comment of the table, which has no column for it. A query in itself, so
 * that it is worked out once and not for every row.
 */
export function makerOf({ name }: Table): string {
  return `(SELECT obj_description(${literal(name)}::regclass, 'pg_class'))`;
}

/** Whether the rows are this maker's, or there are none and nobody is noted. */
export async function isMadeBy(query: Query, table: Table, maker: string): Promise<boolean> {
  return isOf(maker, await look(query, table));
}

/**
 * Sees to it that the rows are this maker's until the transaction ends, and tells who is noted. To be called first in it: what
 * it locks keeps out whoever empties the table for another maker, and nobody who writes rows or reads them.
 * @throws MakerChanged when they are another's.
 */
export async function holdMaker(query: Query, table: Table, maker: string): Promise<string | null> {
  await query(`LOCK TABLE ${table.name} IN ROW EXCLUSIVE MODE`);
  const found = await look(query, table);
  if (!isOf(maker, found)) throw new MakerChanged();
  return found.noted;
}

/** The same, and notes the maker when nobody is. @throws MakerChanged */
export async function claimMaker(query: Query, table: Table, maker: string): Promise<void> {
  if ((await holdMaker(query, table, maker)) !== null) return;
  // Whoever else would be noted waits here, and looks again when it is decided.
  await query(`LOCK TABLE ${table.name} IN SHARE UPDATE EXCLUSIVE MODE`);
  await holdMaker(query, table, maker);
  await noteMaker(query, table, maker);
}

/** Notes who makes the rows, for whoever looks after this transaction. */
export async function noteMaker(query: Query, { name }: Table, maker: string): Promise<void> {
  await query(`COMMENT ON TABLE ${name} IS ${literal(maker)}`);
}

interface Found {
  readonly noted: string | null;
  /** Whether there are rows. */
  readonly filled: boolean;
}

function isOf(maker: string, { noted, filled }: Found): boolean {
  return noted === maker || (noted === null && !filled);
}

async function look(query: Query, table: Table): Promise<Found> {
  const [row] = await query(
    `SELECT ${makerOf(table)} AS maker, EXISTS (SELECT FROM ${table.name}) AS filled`,
  );
  return { noted: typeof row?.maker === 'string' ? row.maker : null, filled: row?.filled === true };
}
