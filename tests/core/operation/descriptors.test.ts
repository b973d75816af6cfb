import { DESCRIPTORS, outcomeOfCall } from '../../../src/core/operation/descriptors';
import { OPERATIONS } from '../../../src/core/registry/table';
import { TOOLS } from '../../../src/doors/mcp/tools';

const rows = Object.entries(DESCRIPTORS);
const operations: Readonly<Record<string, unknown>> = OPERATIONS;

describe('the table of operations', () => {
  it('has one name for each operation, and one route for each name', () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(OPERATIONS));
    expect(new Set(Object.values(operations)).size).toBe(rows.length);
  });

  it('names the tool that performs the operation', () => {
    const nameOf = (key: string) => OPERATIONS[key as keyof typeof OPERATIONS].name;
    const named = rows.flatMap(([key, row]) => ('tool' in row ? [[row.tool, nameOf(key)]] : []));
    const routed = new Set(rows.map(([key]) => nameOf(key)));
    // The tool that reads one note also reads several.
    const performed = TOOLS.map(({ name, operation }) => [
      name,
      name === 'brain_get' ? 'note' : operation.name,
    ]);
    expect(named.sort()).toEqual(performed.filter(([, name]) => routed.has(name ?? '')).sort());
  });

  it('says of what only reads that it does, so that its calls count as reading', () => {
    for (const [name, { effect, method }] of rows) {
      const { mutates } = OPERATIONS[name as keyof typeof OPERATIONS];
      if (mutates) expect([name, effect]).toEqual([name, 'change']);
      if (method === 'GET') expect([name, effect]).toEqual([name, 'read']);
    }
    for (const { name, operation } of TOOLS) {
      const outcome = outcomeOfCall({ ok: true, tool: name, args: {} });
      expect([name, outcome]).toEqual([name, operation.mutates ? 'changed' : 'read']);
    }
  });
});
