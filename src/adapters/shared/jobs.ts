import type { JobRecords } from '../../core/ports/ports';
import { textOf } from '../postgres/sql';
import type { Access } from './state';

/** Ended jobs are kept for this long, and those of servers that have died. */
const KEPT = "interval '1 hour'";
/**
 * True while the place of a job's server is held, under whichever name (the first word stays). After an outage of the database
 * every place is overdue until its server has renewed it, so a minute is let pass.
 */
const IS_HELD = `EXISTS (SELECT 1 FROM brain.leases WHERE split_part(leases.holder, ' ', 1) = jobs.holder
    AND leases.until > now() - interval '1 minute')`;

/** The records of jobs in a table, by the first name of the holder of a place. A job is held as long as the place of its server is. */
export function sharedJobs({ one }: Access, holder: string): JobRecords {
  return {
    async save({ id, owner, isEnded, told }) {
      await one(
        `INSERT INTO brain.jobs (id, owner, holder, ended, told) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (id) DO UPDATE SET ended = excluded.ended, told = excluded.told, at = now()`,
        [id, owner, holder, isEnded, JSON.stringify(told)],
      );
      if (isEnded)
        await one(`DELETE FROM brain.jobs WHERE at < now() - ${KEPT} AND (ended OR NOT ${IS_HELD})`);
    },
    async find(id) {
      const [row] = await one(
        `SELECT owner, ended, told, ${IS_HELD} AS held FROM brain.jobs
           WHERE id = $1 AND (at > now() - ${KEPT} OR (NOT ended AND ${IS_HELD}))`,
        [id],
      );
      if (row === undefined) return null;
      const told: unknown = JSON.parse(textOf(row.told));
      return { id, owner: textOf(row.owner), isEnded: row.ended === true, told, isHeld: row.held === true };
    },
    async askToStop(id) {
      await one('UPDATE brain.jobs SET stop = true WHERE id = $1', [id]);
    },
    async isAskedToStop(id) {
      const [row] = await one('SELECT stop FROM brain.jobs WHERE id = $1', [id]);
      return row?.stop === true;
    },
  };
}
