import { CallError } from '../../../src/core/registry/client';
import {
  type Decided,
  keepDecisions,
  keptDecisions,
  notUndoable,
  withoutNotes,
} from '../../../src/ui/queue/decisions';
import { scriptedClient } from '../../support/ui/screen-page';

function session(start: Record<string, string> = {}) {
  const kept = new Map(Object.entries(start));
  return {
    kept,
    get: (key: string) => kept.get(key) ?? null,
    set: (key: string, value: string) => void kept.set(key, value),
  };
}

const note = (name: string, kind: Decided['kind'] = 'promoted'): Decided => ({
  title: name,
  kind,
  path: kind === 'promoted' ? `wiki/homelab/facts/${name}.md` : `raw/rejected/${name}.md`,
  from: `raw/${name}.md`,
});
const [A, B, C] = [note('a'), note('b', 'rejected'), note('c')];

it('are the same for a screen that is opened anew', () => {
  const shelf = session();
  expect(keptDecisions(shelf)).toEqual([]);
  keepDecisions(shelf, [[A], [B, C]]);
  expect(keptDecisions(shelf)).toEqual([[A], [B, C]]);
});

it.each(['', 'no JSON', '{}', '[[]]', '[[{}]]', '[{}]', JSON.stringify([[{ ...A, kind: 'burnt' }]])])(
  'are none when %p was kept',
  (text) => expect(keptDecisions(session({ 'queue.decisions': text }))).toEqual([]),
);

it('forget the oldest, and never a part of one', () => {
  const shelf = session();
  const many = Array.from({ length: 400 }, (_, index) => note(`n${index}`));
  keepDecisions(shelf, [[A], many, many]);
  expect(keptDecisions(shelf)).toEqual([many]);
  const all = [...many, ...many];
  keepDecisions(shelf, [[A], all]);
  expect(keptDecisions(shelf)).toEqual([all]);
});

it('lose notes that are back, and are gone with their last one', () => {
  expect(withoutNotes([[A], [B, C]], [B])).toEqual([[A], [C]]);
  expect(withoutNotes([[A], [B, C]], [C, B])).toEqual([[A]]);
});

describe('after a reload', () => {
  const asked: string[] = [];
  const client = (answers: Record<string, string | CallError>) => {
    const back = ({ path, dry_run: dry }: { path: string; dry_run?: boolean | undefined }) => {
      asked.push(path);
      const answer = answers[path];
      if (dry !== true || answer === undefined) throw new Error('Only to be asked, never to be done.');
      if (answer instanceof CallError) throw answer;
      return { path: answer, from: path };
    };
    return scriptedClient({ unpromote: back, restore: back });
  };
  beforeEach(() => asked.splice(0));

  it('those at the end that cannot be taken back are told, up to the first that can', async () => {
    const made = client({
      [C.path]: new CallError('source_missing', 'Gone.'),
      [B.path]: B.from,
    });
    expect(await notUndoable(made, [[A], [B, C]])).toEqual([C]);
    expect(asked).toEqual([C.path, B.path]);
  });

  it('one that would go elsewhere is another note', async () => {
    expect(await notUndoable(client({ [A.path]: 'raw/other.md' }), [[A]])).toEqual([A]);
  });

  it('nothing is known when nobody answers', async () => {
    const silent = client({ [A.path]: new CallError('unreachable', 'No answer.') });
    await expect(notUndoable(silent, [[A]])).rejects.toThrow('No answer.');
  });
});
