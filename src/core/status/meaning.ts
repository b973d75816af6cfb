import type { Brain } from '../operation/context';
import type { Compared, Comparison } from '../operation/memory';
import { comparison, isHarmful, MIN_QUESTIONS, weightOf } from '../search/comparison';
import type { Check } from '../vocabulary/check';

const NAME = 'search by meaning';

/**
 * Tells whether search by meaning helps on the notes of this vault. The comparison asks the embedder sixty times, so it runs in the
 * background, at most once a day; until it has ended, the check says so. Returns nothing while search goes by words alone.
 */
export function meaningCheck(brain: Brain): Check[] {
  if (brain.hybrid?.isAnswering !== true) return [];
  const last = comparison(brain);
  if (last === null) return [];
  return [last.comparison === null ? unknownCheck(last) : comparisonCheck(brain, last.comparison)];
}

function unknownCheck({ isRunning }: Compared): Check {
  const message = isRunning
    ? 'Search by meaning is being compared with search by words; look again in a minute.'
    : 'The embedder did not answer every question, so search by meaning is compared another time.';
  return { name: NAME, state: 'ok', message };
}

function comparisonCheck({ config }: Pick<Brain, 'config'>, made: Comparison): Check {
  const { questions, words, meaning, both } = made;
  if (questions < MIN_QUESTIONS) {
    const message =
      'The vault has too few notes that are long enough to compare search by meaning with search by words.';
    return { name: NAME, state: 'ok', message };
  }
  const found = `Of ${questions} fragments from the middle of your notes, the note that each is from comes first ${words.first} times by words, ${meaning.first} times by meaning and ${both.first} times by the ranks of both.`;
  if (config.fusion === 'measured') {
    const weight = weightOf(made);
    if (weight > 0) {
      const message = `Meaning counts ${Math.round(100 * weight)} % of what words count. ${found}`;
      return { name: NAME, state: 'ok', message };
    }
    return {
      name: NAME,
      state: 'warning',
      message: `Meaning finds too little here, so search goes by words alone. ${found}`,
      fix: 'Choose another embedding model, one that knows the language of your notes.',
      action: 'open-settings',
    };
  }
  if (!isHarmful(made)) return { name: NAME, state: 'ok', message: found };
  return {
    name: NAME,
    state: 'warning',
    message: `Words alone measure better here than words and meaning together. ${found}`,
    fix: 'Let meaning count as much as it is worth (BRAIN_FUSION=measured, in Obsidian "Words and meaning together"), or choose another embedding model.',
    action: 'open-settings',
  };
}
