import { similarTerms } from '../../../src/core/fulltext/query';
import { Analyser } from '../../../src/core/fulltext/terms';

const FREQUENCIES: Readonly<Record<string, number>> = {
  wireguard: 3,
  mtu: 2,
  tunnel: 40,
  packet: 9,
  the: 100,
};

function termsWith(documents: (term: string) => number) {
  return { read: (text: string) => [...new Set(new Analyser().all(text))], documents };
}

describe('similarTerms', () => {
  it('takes the title and then the rarest terms that others hold', () => {
    const terms = similarTerms(
      'My tunnel',
      'The WireGuard MTU keeps packets in the tunnel whole.',
      termsWith((term) => FREQUENCIES[term] ?? 0),
    );
    expect(terms).toEqual(['my', 'tunnel', 'mtu', 'wireguard', 'packet']);
  });

  it('takes twelve terms of the text at most, equal ones by the alphabet', () => {
    const text = Array.from({ length: 30 }, (_, n) => `w${99 - n}`).join(' ');
    const terms = similarTerms(
      '',
      text,
      termsWith(() => 1),
    );
    expect(terms).toEqual(Array.from({ length: 12 }, (_, n) => `w${70 + n}`));
  });

  it('takes the rarer terms before those of the alphabet', () => {
    const text = Array.from({ length: 30 }, (_, n) => `w${70 + n}`).join(' ');
    const terms = similarTerms(
      '',
      text,
      termsWith((term) => (term > 'w90' ? 1 : 2)),
    );
    expect(terms).toEqual([...Array.from({ length: 9 }, (_, n) => `w${91 + n}`), 'w70', 'w71', 'w72']);
  });
});
