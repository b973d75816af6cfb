import { keepPlace, lastPlace, offersFor } from '../../../src/ui/place/place';

const WINGS = [
  { wing: 'homelab', notes: 12 },
  { wing: 'smart-home', notes: 3 },
  { wing: 'Garden', notes: 1 },
];
const rows = (typed: string) =>
  offersFor(WINGS, typed).map(({ wing, notes }) => (notes === null ? `+${wing}` : wing));

it.each([
  ['', ['homelab', 'smart-home', 'Garden']],
  ['home', ['homelab', 'smart-home', '+home']],
  ['homelab', ['homelab']],
  ['Home Lab', ['+Home Lab']],
  ['Smart Home', ['smart-home']],
  ['garden', ['Garden']],
  ['  hous ', ['+hous']],
])('for %p the menu offers %p', (typed, expected) => expect(rows(typed)).toEqual(expected));

describe('the last place of a session', () => {
  const sessionWith = (text: string | null) => {
    let kept = text;
    return { get: () => kept, set: (_: string, value: string) => void (kept = value) };
  };

  it('is the one that was kept', () => {
    const session = sessionWith(null);
    expect(lastPlace(session)).toBeNull();
    keepPlace(session, { wing: 'homelab', hall: 'facts' });
    expect(lastPlace(session)).toEqual({ wing: 'homelab', hall: 'facts' });
  });

  it.each(['', '{', '[]', '{"wing":1,"hall":"facts"}', '{"wing":"a","hall":"kitchen"}'])(
    'is none for %p',
    (text) => expect(lastPlace(sessionWith(text))).toBeNull(),
  );
});
