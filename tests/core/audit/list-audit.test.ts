import { auditLine, NO_LINE } from '../../../src/core/audit/line';
import { listAudit } from '../../../src/core/audit/list';
import { Pace } from '../../../src/core/base/steps';
import { callerWith, openTestBrain } from '../../support/test-brain';

interface Given {
  readonly id: string;
  readonly ts: string;
  readonly tool?: string;
  readonly actor?: string;
  readonly paths?: string[];
  readonly ok?: boolean;
  readonly args?: Record<string, boolean>;
}

function file(calls: readonly Given[]): string {
  return calls
    .map(({ id, ts, tool = 'brain_query', actor = 'laptop', paths = [], ok = true, args = {} }, index) => {
      const entry = {
        id,
        ts,
        tool,
        actor,
        auth: 'read',
        ok,
        args,
        paths,
        unlinked: 0,
        duration_ms: 1,
      };
      return `${auditLine(entry, index + 1, NO_LINE)}\n`;
    })
    .join('');
}

const FILES = {
  'audit/2026-10.aaaa0000.jsonl': file([{ id: 'old', ts: '2026-10-05T08:00:00Z', actor: 'desktop' }]),
  'audit/2026-11.aaaa0000.jsonl': `${file([
    { id: 'a', ts: '2026-11-01T08:00:00Z', tool: 'brain_write', paths: ['wiki/a/facts/b.md'] },
    { id: 'b', ts: '2026-11-02T08:00:00Z', actor: 'human:me' },
    { id: 'late', ts: '2026-10-31T08:00:00Z' },
  ])}torn {"v":1\n`,
  'audit/2026-11.bbbb0000.jsonl': file([
    { id: 'other', ts: '2026-11-01T12:00:00Z', paths: ['wiki/a/facts/b.md', 'raw/c.md'] },
  ]),
  'audit/root-edits.aaaa0000.jsonl': '{"v":1}\n',
};

async function open() {
  const opened = await openTestBrain();
  for (const [path, text] of Object.entries(FILES)) opened.state.files.set(path, text);
  const ids = async (query: object) => (await opened.run(listAudit, query)).entries.map(({ id }) => id);
  return { ...opened, ids };
}

describe('listing the audit log', () => {
  it.each<[string, object, string[]]>([
    ['everything, newest first, of every device', {}, ['b', 'other', 'a', 'late', 'old']],
    ['one tool', { tool: 'brain_write' }, ['a']],
    ['one actor', { actor: 'human:me' }, ['b']],
    ['one note, however the path is written', { path: '/brain/wiki/a/facts/b.md' }, ['other', 'a']],
    ['from a time on', { since: '2026-11-01T12:00:00Z' }, ['b', 'other']],
    ['from a day on', { since: '2026-10-31' }, ['b', 'other', 'a', 'late']],
    ['up to a time', { until: '2026-11-01T08:00:00Z' }, ['a', 'late', 'old']],
    ['both', { since: '2026-11-01', until: '2026-11-01T23:59:59Z' }, ['other', 'a']],
    ['all filters at once', { tool: 'brain_query', actor: 'laptop', path: 'raw/c.md' }, ['other']],
    ['a page', { limit: 2, offset: 1 }, ['other', 'a']],
    ['a page past the end', { offset: 9 }, []],
  ])('gives %s', async (_, query, expected) => {
    expect(await (await open()).ids(query)).toEqual(expected);
  });

  it('rests while it reads a long log', async () => {
    const { ids } = await open();
    const pieces = jest.spyOn(Pace.prototype, 'run');
    expect(await ids({})).toHaveLength(5);
    expect(pieces.mock.calls.length).toBeGreaterThan(5);
    pieces.mockRestore();
  });

  it('counts the page and the whole, and keeps the chain to itself', async () => {
    const { run } = await open();
    const { count, total, entries } = await run(listAudit, { limit: 1 });
    expect([count, total]).toEqual([1, 5]);
    expect(entries[0]).not.toHaveProperty('prev');
  });

  it.each<[string, object, string[]]>([
    ['that failed', { ok: false }, ['failed']],
    ['that went well', { ok: true }, ['tried', 'changed', 'read']],
    ['that changed something', { changed: true }, ['changed']],
    ['that changed nothing', { changed: false }, ['tried', 'failed', 'read']],
    ['that changed nothing although they went well', { changed: false, ok: true }, ['tried', 'read']],
  ])('gives those %s', async (_, query, expected) => {
    const { ids, state } = await open();
    for (const path of await state.list('audit')) state.files.delete(path);
    const calls: Given[] = [
      { id: 'read', ts: '2026-11-01T08:00:00Z' },
      { id: 'failed', ts: '2026-11-01T08:00:01Z', tool: 'brain_write', ok: false },
      { id: 'changed', ts: '2026-11-01T08:00:02Z', tool: 'brain_write' },
      { id: 'tried', ts: '2026-11-01T08:00:03Z', tool: 'brain_write', args: { dry_run: true } },
    ];
    state.files.set('audit/2026-11.aaaa0000.jsonl', file(calls));
    expect(await ids(query)).toEqual(expected);
  });

  it('is empty without a log', async () => {
    const { run } = await openTestBrain();
    expect(await run(listAudit)).toEqual({ count: 0, total: 0, entries: [] });
  });

  it.each<[object, string]>([
    [{ since: 'yesterday' }, 'invalid_field'],
    [{ until: '2026-13-01' }, 'invalid_field'],
    [{ limit: 201 }, 'invalid_field'],
    [{ path: '../x' }, 'path_not_allowed'],
    [{ agent: 'x' }, 'unknown_field'],
  ])('refuses %j with %s', async (query, code) => {
    expect((await (await open()).refusal(listAudit, query)).code).toBe(code);
  });

  it('is for the owner', async () => {
    const { refusal } = await open();
    expect((await refusal(listAudit, {}, callerWith(['read', 'write', 'review']))).code).toBe(
      'forbidden_scope',
    );
  });
});
