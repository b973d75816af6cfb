import { readDeepLink } from '../../../src/plugin/shell/deep-links';
import { SCREENS } from '../../../src/ui/client/screens';

it.each(Object.keys(SCREENS))('opens the screen %s', (screen) => {
  expect(readDeepLink({ action: 'brain-server', screen })).toEqual({ screen, params: {} });
});

it('opens a screen on what the link names', () => {
  expect(readDeepLink({ action: 'brain-server', screen: 'queue', path: 'raw/a b.md' })).toEqual({
    screen: 'queue',
    params: { path: 'raw/a b.md' },
  });
});

it('opens home when the link names no screen', () => {
  expect(readDeepLink({ action: 'brain-server' })?.screen).toBe('home');
});

it('fills in no decision: forms, reasons and unknown words in a link are ignored', () => {
  const link = {
    screen: 'queue',
    path: 'raw/a.md',
    act: 'reject',
    reason: 'spam',
    vault: 'Mine',
    promote: 'true',
  };
  expect(readDeepLink(link)?.params).toEqual({ path: 'raw/a.md' });
});

it.each(['nothing', '', 'constructor', '__proto__', 'Queue'])('knows no screen %p', (screen) => {
  expect(readDeepLink({ screen })).toBeNull();
});
