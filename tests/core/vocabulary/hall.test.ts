import { HALL_TITLES, HALLS, isHall } from '../../../src/core/vocabulary/address';

describe('halls', () => {
  it('are the five of the specification, in its order', () => {
    expect(HALLS).toEqual(['facts', 'decisions', 'failures', 'hypotheses', 'sources']);
  });

  it('have a title each', () => {
    expect(Object.entries(HALL_TITLES)).toEqual([
      ['facts', 'Facts'],
      ['decisions', 'Decisions'],
      ['failures', 'Failures'],
      ['hypotheses', 'Hypotheses'],
      ['sources', 'Sources'],
    ]);
  });

  it.each(HALLS)('knows %s', (hall) => {
    expect(isHall(hall)).toBe(true);
  });

  it.each(['Facts', 'fact', ' facts', '', 'constructor', undefined, null, 0, ['facts']])(
    'refuses %j',
    (value) => {
      expect(isHall(value)).toBe(false);
    },
  );
});
