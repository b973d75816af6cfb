import type { Entry } from '../../../src/ui/queue/entry';

export type { Entry };

/** A pending note for tests; its day gives it its place in the queue. */
export function entry(name: string, day: number, extra: Partial<Entry> = {}): Entry {
  return {
    path: `raw/${name}.md`,
    title: name,
    excerpt: `What ${name} says.`,
    created_at: `2026-11-${String(day).padStart(2, '0')}T00:00:00Z`,
    age_days: 20 - day,
    bytes: 10,
    content_hash: name.padEnd(64, '0'),
    suggested: { wing: 'homelab', hall: 'facts', slug: name },
    sources: [],
    similar: [],
    stale: false,
    rejected_before: false,
    unverified: false,
    can_re_extract: false,
    risks: [],
    same: [],
    warnings: [],
    ...extra,
  };
}
