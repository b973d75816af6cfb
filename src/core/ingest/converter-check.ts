import type { Brain } from '../brain';
import { crossesOpenly, hostOf } from '../host-words';
import type { Check } from '../notes/check';
import { SETTING_WORDS } from '../setting-words';

const NAME = 'converter';
const ADDRESS = `"${SETTING_WORDS.converterUrl.name}" (CONVERTER_URL)`;

/** Whether Office documents and images can be read, and where they go for that. Asks nobody. */
export function converterCheck({ config }: Pick<Brain, 'config'>): Check {
  const { converterUrl, converterToken } = config;
  if (converterUrl === undefined) {
    return {
      name: NAME,
      state: 'ok',
      message: 'None is set: Office documents and images stay where they are.',
    };
  }
  const message = `Office documents and images are sent to ${hostOf(converterUrl)}.`;
  if (!crossesOpenly(converterUrl)) return { name: NAME, state: 'ok', message };
  const what = converterToken === undefined ? 'They' : 'They and the token';
  return {
    name: NAME,
    state: 'warning',
    message: `${message} ${what} cross the network unencrypted.`,
    fix: `Give ${ADDRESS} an address that begins with https://.`,
  };
}
