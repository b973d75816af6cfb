import { type Maker, MakerChanged, StoreDown } from '../../core/vector-store';
import { DIMENSIONS } from '../../core/vectors/pool';
import type { Table } from './ensure-table';
import { literal, type Query } from './sql';

/**
 * An expression for who made the rows, or null: the comment of the table, which has no column for it. A query in itself, so
 * that it is worked out once and not for every row.
 */
export function makerOf({ name }: Table): string {
  return `(SELECT obj_description(${literal(name)}::regclass, 'pg_class'))`;
}

/** Who is noted in a comment. Earlier versions noted no vault: theirs belong to whichever writes first. */
interface Noted {
  readonly model: string;
  readonly vault: string | null;
}

const COMMENT = new RegExp(`^vault ([0-9a-z]+); ${DIMENSIONS} dimensions; ([^]*)$`);

function notedIn(comment: unknown): Noted | null {
  if (typeof comment !== 'string') return null;
  const [, vault, model] = COMMENT.exec(comment) ?? [];
  return vault === undefined || model === undefined ? { model: comment, vault: null } : { model, vault };
}

/** Whether a comment says that the rows are this maker's. @throws StoreDown when they are another vault's. */
export function isNoted(comment: unknown, { model, vault }: Maker, { name }: Table, place: string): boolean {
  const noted = notedIn(comment);
  if (noted !== null && noted.vault !== null && noted.vault !== vault) {
    throw new StoreDown(
      `The table ${name} at ${place} holds the vectors of another vault, so nothing of it is read or changed. Set BRAIN_PG_SCHEMA to a schema for this vault alone; or drop that table if no vault uses it any more.`,
      true,
    );
  }
  return noted?.model === model;
}

/**
 * Whether the rows are this maker's, or there are none and nobody is noted.
 * @throws StoreDown when they are another vault's.
 */
export async function isMadeBy(query: Query, table: Table, maker: Maker, place: string): Promise<boolean> {
  const [row] = await query(
    `SELECT ${makerOf(table)} AS maker, EXISTS (SELECT FROM ${table.name}) AS filled`,
  );
  if (isNoted(row?.maker, maker, table, place)) return true;
  return notedIn(row?.maker) === null && row?.filled !== true;
}

/**
 * Sees to it that the rows are this maker's until the transaction ends. To be called first in it: what it locks keeps out
 * whoever empties the table for another maker, and nobody who writes rows or reads them.
 * @throws MakerChanged when they are another's, StoreDown when they are another vault's.
 */
export async function holdMaker(query: Query, table: Table, maker: Maker, place: string): Promise<void> {
  await query(`LOCK TABLE ${table.name} IN ROW EXCLUSIVE MODE`);
  if (!(await isMadeBy(query, table, maker, place))) throw new MakerChanged();
}

/** The same, and notes maker and vault where they are not. @throws MakerChanged, StoreDown */
export async function claimMaker(query: Query, table: Table, maker: Maker, place: string): Promise<void> {
  await holdMaker(query, table, maker, place);
  const [row] = await query(`SELECT ${makerOf(table)} AS maker`);
  const noted = notedIn(row?.maker);
  // Another model of the same vault may have been noted since the look above: the table was nobody's then.
  if (noted?.vault === maker.vault && noted.model === maker.model) return;
  // Whoever else would be noted waits here, and looks again when it is decided.
  await query(`LOCK TABLE ${table.name} IN SHARE UPDATE EXCLUSIVE MODE`);
  await holdMaker(query, table, maker, place);
  await noteMaker(query, table, maker);
}

/** Notes who makes the rows, for whoever looks after this transaction. */
export async function noteMaker(query: Query, { name }: Table, { model, vault }: Maker): Promise<void> {
  const comment = `vault ${vault}; ${DIMENSIONS} dimensions; ${model}`;
  await query(`COMMENT ON TABLE ${name} IS ${literal(comment)}`);
}
