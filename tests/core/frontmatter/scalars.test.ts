import * as fc from 'fast-check';
import { parse } from 'yaml';
import { callerText, oneLine, readYaml, yamlList, yamlScalar } from '../../../src/core/frontmatter/yaml';

/** What the readers make of a value: ours, YAML 1.2 with and without merge keys, and YAML 1.1. */
function readings(yaml: string): unknown[] {
  const own = readYaml(`a: ${yaml}\n`);
  return [
    'values' in own ? own.values.a : own.reason,
    ...[{}, { merge: true }, { version: '1.1' as const }].map((options) => {
      const read: unknown = parse(`a: ${yaml}\n`, options);
      return typeof read === 'object' && read !== null && 'a' in read ? read.a : read;
    }),
  ];
}

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(...'ab1 :#-\'"[]{},&*!|>%@`?\\\n\t~<=.+_é东\u0000\u0085\u2028\uFEFF\uD800'),
    maxLength: 20,
  }),
  fc.constantFrom(
    'yes',
    'No',
    'on',
    'NULL',
    '~',
    '0123',
    '1e3',
    '.5',
    '1:30',
    '2024-01-02',
    '<<',
    '=',
    '---',
    '...',
    'a: b',
    'a #b',
    '- a',
    '? a',
    '.inf',
    '0x1F',
    'a:',
    ':a',
    'e1',
    '',
  ),
);

describe('yamlScalar', () => {
  it.each([
    ['homelab', 'homelab'],
    ['home-lab', 'home-lab'],
    ['东京', '东京'],
    ['human:me', 'human:me'],
    ['laptop (claude-code 2.1.300)', 'laptop (claude-code 2.1.300)'],
    ['laptop via qwen3:8b', 'laptop via qwen3:8b'],
    ['2026-11-20T10:32:00Z', '2026-11-20T10:32:00Z'],
    ['yes', '"yes"'],
    ['Off', '"Off"'],
    ['y', '"y"'],
    ['null', '"null"'],
    ['0123', '"0123"'],
    ['2024-01-02', '"2024-01-02"'],
    ['1e3', '"1e3"'],
    ['12345678', '"12345678"'],
    ['.5', '".5"'],
    ['~', '"~"'],
    ['x: y', '"x: y"'],
    ['x:', '"x:"'],
    ['x #y', '"x #y"'],
    ['- x', '"- x"'],
    ['[x]', '"[x]"'],
    ['[[a|b]]', '"[[a|b]]"'],
    ['"x"', '"\\"x\\""'],
    ['a\\b', '"a\\\\b"'],
    ['a  b', '"a  b"'],
    ['', '""'],
  ])('writes %j as %s', (value, yaml) => {
    expect(yamlScalar(value)).toBe(yaml);
    expect(readYaml(`a: ${yaml}\n`)).toEqual({ values: { a: value } });
  });

  it('writes numbers and booleans bare', () => {
    expect([yamlScalar(1.5), yamlScalar(-3), yamlScalar(true), yamlScalar(false)]).toEqual([
      '1.5',
      '-3',
      'true',
      'false',
    ]);
  });

  it('reads back equal with every reader, on one line', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const value = oneLine(text);
        const yaml = yamlScalar(value);
        expect(yaml).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
        expect(readings(yaml)).toEqual([value, value, value, value]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('yamlList', () => {
  it('writes one line of quoted texts', () => {
    expect(yamlList(['[[a|b]]', 'x, y', 3, true])).toBe('["[[a|b]]", "x, y", 3, true]');
    expect(yamlList([])).toBe('[]');
  });

  it('reads back equal with every reader', () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 5 }), (texts) => {
        const values = texts.map(oneLine);
        expect(readings(yamlList(values))).toEqual([values, values, values, values]);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('oneLine and callerText', () => {
  it.each([
    ['  a  ', 'a'],
    ['a\nb\r\n\tc', 'a b c'],
    ['a\u2028b\u0085c', 'a b c'],
    ['a\0b\u001b[31m\u007f', 'ab[31m'],
    ['a\uD800b😀', 'ab😀'],
    ['\uFEFFa\uFFFF', 'a'],
  ])('makes %j one clean line', (text, line) => {
    expect(oneLine(text)).toBe(line);
  });

  it('cuts a caller’s text to 500 code points, never inside one', () => {
    expect(callerText('😀'.repeat(501))).toBe('😀'.repeat(500));
    expect(callerText('x'.repeat(500))).toBe('x'.repeat(500));
    expect(callerText(`${'x'.repeat(499)} y`)).toBe('x'.repeat(499));
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(oneLine(oneLine(text))).toBe(oneLine(text));
        expect(callerText(callerText(text))).toBe(callerText(text));
      }),
      { numRuns: 2000 },
    );
  });
});

it('writes the mark of a template command so that no plug-in finds it and every reader reads it', () => {
  for (const text of ['<% evil() %>', 'a <%* b', '<<%', '\\<% c']) {
    for (const [yaml, read] of [
      [yamlScalar(text), text],
      [yamlList(['x', text]), ['x', text]],
    ] as const) {
      expect(yaml).not.toContain('<%');
      for (const reading of readings(yaml)) expect(reading).toEqual(read);
    }
  }
});
