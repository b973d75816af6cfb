import type { Brain } from '../brain';
import { crossesOpenly, hostOf } from '../host-words';
import type { Check } from '../notes/check';
import { SETTING_WORDS } from '../setting-words';

const NAME = 'language model';
const ADDRESS = `"${SETTING_WORDS.llmUrl.name}" (BRAIN_LLM_URL)`;
const MODEL = `"${SETTING_WORDS.llmModel.name}" (BRAIN_LLM_MODEL)`;

/** Whether answers and pages of documents come from a model, and where what is asked of it goes. Asks nobody. */
export function modelCheck({ config }: Pick<Brain, 'config'>): Check {
  const { llmUrl, llmModel, llmKey } = config;
  if (llmUrl === undefined && llmModel === undefined) {
    const message =
      'None is set: answers are passages of the notes, word for word, and documents become notes as they are.';
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
  const message = `Questions with the notes found for them, and documents that are ingested, go to ${llmModel} at ${hostOf(llmUrl)}.`;
  if (llmKey === undefined || !crossesOpenly(llmUrl)) return { name: NAME, state: 'ok', message };
  return {
    name: NAME,
    state: 'warning',
    message: `${message} They and the key cross the network unencrypted.`,
    fix: `Give ${ADDRESS} an address that begins with https://.`,
  };
}
