import { similarTerms } from '../../../src/core/fulltext/query';
import { Analyser } from '../../../src/core/fulltext/terms';

const FREQUENCIES: Readonly<Record<string, number>> = {
  wireguard: 3,
  mtu: 2,
  tunnel: 40,
  packet: 9,
  the: 100,
};
const others = { frequency: (term: string) => FREQUENCIES[term] ?? 0 };

describe('similarTerms', () => {
  it('takes the title and then the rarest terms that others hold', () => {
    const terms = similarTerms(
      'My tunnel',
      'The WireGuard MTU keeps packets in the tunnel whole.',
      new Analyser(),
      others,
    );
    expect(terms).toEqual(['my', 'tunnel', 'mtu', 'wireguard', 'packet']);
  });

  it('takes twelve terms of the text at most, equal ones by the alphabet', () => {
    const text = Array.from({ length: 30 }, (_, n) => `w${99 - n}`).join(' ');
    const terms = similarTerms('', text, new Analyser(), { frequency: () => 1 });
    expect(terms).toEqual(Array.from({ length: 12 }, (_, n) => `w${70 + n}`));
  });
});
