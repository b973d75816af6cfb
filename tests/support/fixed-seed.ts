import * as fc from 'fast-check';
import { SEED } from '../fuzz/seed';

// Properties that name no seed draw the same in every ordinary run. The seed of a property that fails is in its message.
fc.configureGlobal({ seed: SEED });
