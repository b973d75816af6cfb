import { runtimeProblem } from '../../../src/plugin/shell/plugin';

it.each(['30.1.2', '32.2.5', '39.8.3', '43.3.0'])('runs on Electron %s', (electron) => {
  expect(runtimeProblem({ electron })).toBeNull();
});

it.each(['28.2.3', '21.0.0', '9.4.4', 'unreadable'])(
  'does not run on Electron %s, and says what helps',
  (electron) => {
    const problem = runtimeProblem({ electron });
    expect(problem).toContain(electron);
    expect(problem).toContain('obsidian.md');
  },
);

it('does not run where there is no Electron at all', () => {
  expect(runtimeProblem({ node: '22.0.0' })).toContain('of an unknown version');
});
