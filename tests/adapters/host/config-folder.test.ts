import path from 'node:path';
import { configFolder } from '../../../src/adapters/host/config-folder';

it.each<[string, Record<string, string>, NodeJS.Platform, string]>([
  ['BRAIN_CONFIG_DIR wins', { BRAIN_CONFIG_DIR: '/etc/brain', XDG_CONFIG_HOME: '/x' }, 'linux', '/etc/brain'],
  ['on macOS too', { BRAIN_CONFIG_DIR: '/etc/brain' }, 'darwin', '/etc/brain'],
  ['XDG_CONFIG_HOME', { XDG_CONFIG_HOME: '/x' }, 'linux', '/x/brain-server'],
  [
    'a relative XDG_CONFIG_HOME counts as none',
    { XDG_CONFIG_HOME: 'x' },
    'linux',
    '/home/ada/.config/brain-server',
  ],
  [
    'empty variables count as none',
    { XDG_CONFIG_HOME: '', BRAIN_CONFIG_DIR: '' },
    'linux',
    '/home/ada/.config/brain-server',
  ],
  ['Linux', {}, 'linux', '/home/ada/.config/brain-server'],
  ['macOS', { XDG_CONFIG_HOME: '/x' }, 'darwin', '/home/ada/Library/Application Support/brain-server'],
  ['Windows', { APPDATA: '/roaming' }, 'win32', '/roaming/brain-server'],
  ['Windows without APPDATA', {}, 'win32', '/home/ada/AppData/Roaming/brain-server'],
])('%s', (_, env, platform, expected) => {
  // On Windows this test sees its spelling of the same paths.
  const here = env.BRAIN_CONFIG_DIR ? path.resolve(expected) : path.normalize(expected);
  expect(configFolder(env, platform, '/home/ada')).toBe(here);
});
