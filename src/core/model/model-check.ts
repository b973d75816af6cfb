import type { Brain } from '../brain';
import type { Check } from '../notes/check';
import { SETTING_WORDS } from '../setting-words';

const NAME = 'language model';
const ADDRESS = `"${SETTING_WORDS.llmUrl.name}" (BRAIN_LLM_URL)`;
const MODEL = `"${SETTING_WORDS.llmModel.name}" (BRAIN_LLM_MODEL)`;
/** Host and port of a web address, without a name and password before them. */
const HOST = /^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i;

/** Whether answers come from a model, and where what is asked of it goes. Asks nobody. */
export function modelCheck({ config }: Pick<Brain, 'config'>): Check {
  const { llmUrl, llmModel, llmKey } = config;
  if (llmUrl === undefined && llmModel === undefined) {
    const message = 'None is set: answers are passages of the notes, word for word.';
    return { name: NAME, state: 'ok', message };
  }
  if (llmUrl === undefined || llmModel === undefined) {
    const [given, missing] = llmUrl === undefined ? [MODEL, ADDRESS] : [ADDRESS, MODEL];
    return {
      name: NAME,
      state: 'warning',
      message: `${given} is set but ${missing} is not, so no language model is asked.`,
      fix: 'Set both, or neither.',
    };
  }
  const host = HOST.exec(llmUrl)?.[1] ?? '';
  const message = `Questions, and the notes found for them, go to ${llmModel} at ${host}.`;
  if (llmKey === undefined || LOOPBACK.test(host) || /^https:/i.test(llmUrl))
    return { name: NAME, state: 'ok', message };
  return {
    name: NAME,
    state: 'warning',
    message: `${message} They and the key cross the network unencrypted.`,
    fix: `Give ${ADDRESS} an address that begins with https://.`,
  };
}
