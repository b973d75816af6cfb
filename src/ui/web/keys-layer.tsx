import { useState } from 'preact/hooks';
import type { UiHost } from '../host';
import { Check } from '../parts/check';
import type { KeyHelpGroup } from '../parts/keys';
import { KeyHelp } from '../parts/use-keys';

const EVERYWHERE: readonly KeyHelpGroup[] = [
  {
    title: 'On every screen',
    lines: [
      { label: 'Move', keys: ['J', 'K'] },
      { label: 'Open', keys: ['↵'] },
      { label: 'Filter or search', keys: ['/'] },
      { label: 'Next panel', keys: ['F6'] },
    ],
  },
  {
    title: 'The page',
    lines: [
      { label: 'All keys of the screen', keys: ['?'] },
      { label: 'Close, go back, leave a field', keys: ['Esc'] },
    ],
  },
];

/** The keys that all screens share, and the switch for those who do not want bare letters to do anything. */
export function KeysLayer({ preferences }: { readonly preferences: UiHost['preferences'] }) {
  const [on, setOn] = useState(preferences.get('keys') !== 'off');
  return (
    <>
      <KeyHelp groups={EVERYWHERE} />
      <div class="brain-prompt-foot">
        <Check
          checked={on}
          title="Use single letters as keys"
          onChange={(next) => {
            preferences.set('keys', next ? 'on' : 'off');
            setOn(next);
          }}
        />
      </div>
    </>
  );
}
