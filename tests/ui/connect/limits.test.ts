import { limitOptions, limitWords, NO_LIMITS, readLimits } from '../../../src/ui/connect/limits';

it('reads what a person types', () => {
  expect(readLimits(NO_LIMITS)).toEqual({ limits: {}, problems: { read: null, wings: null } });
  expect(readLimits({ read: ' wiki/homelab , Projects/my plan.md,', wings: 'Home Lab' })).toEqual({
    limits: { read: ['wiki/homelab', 'Projects/my plan.md'], writeWings: ['home-lab'] },
    problems: { read: null, wings: null },
  });
});

it('says at each field what is wrong with it, and never drops a limit', () => {
  const { limits, problems } = readLimits({ read: '../x', wings: ',' });
  expect(limits).toBeNull();
  expect(problems).toEqual({
    read: expect.stringContaining('"../x" cannot be read'),
    wings: expect.stringContaining('Name at least one wing'),
  });
});

it('says what a token reads and writes', () => {
  expect(limitWords({})).toBeNull();
  expect(limitWords({ read: ['knowledge'] })).toBe('Reads only knowledge.');
  expect(limitWords({ writeWings: ['a', 'b'] })).toBe('Writes only into a, b.');
});

it('gives the options of the command, safe in a shell', () => {
  expect(limitOptions({})).toBe('');
  expect(limitOptions({ read: ['wiki/homelab', 'knowledge'], writeWings: ['homelab'] })).toBe(
    ' --read wiki/homelab,knowledge --write-wings homelab',
  );
  expect(limitOptions({ read: ["it's $(rm)"] })).toBe(" --read 'it'\\''s $(rm)'");
});
