import { type BrainClient, CallError } from '../../../src/core/registry/client';
import { Incoming } from '../../../src/ui/imports/incoming';
import { pickedOf } from '../../../src/ui/imports/picked';

const file = (place: string, text = 'text') => ({ place, file: new Blob([text]) });

it.each([
  [['a/b.md', 'a/c/d.md'], 'a', ['b.md', 'c/d.md']],
  [['export.zip'], 'export', ['export.zip']],
  [['a/b.md', 'c.md'], 'notes', ['a/b.md', 'c.md']],
  [['a/.git/x', 'a/b.md', '.DS_Store'], 'a', ['b.md']],
])('names what comes of %j', (places, name, kept) => {
  const picked = pickedOf(places.map((place) => file(place)));
  expect(picked?.name).toBe(name);
  expect(picked?.files.map(({ place }) => place)).toEqual(kept);
});

it('chooses nothing of hidden files', () => {
  expect(pickedOf([file('.obsidian/app.json')])).toBeNull();
});

/** A service that makes one note of whatever it gets. */
function service(asked: string[]): BrainClient {
  const answers: Record<string, object> = {
    openImport: { batch: 'b', name: 'a', folder: 'imports/a', reads: [] },
    runBatch: { import: { name: 'a', state: 'preview' } },
    dropBatch: { batch: 'b', files: 1 },
  };
  return {
    call: (name) => {
      asked.push(name);
      return Promise.resolve(Object.assign(answers[name] ?? {}));
    },
    changes: () => () => undefined,
  };
}

const TERMS = { name: 'a', onlyMe: false, keep: false, again: false };

function chosen(asked: string[], text: string): Incoming {
  const incoming = new Incoming(service(asked), () => Promise.resolve());
  const picked = pickedOf([file('a.md', text)]);
  if (picked === null) throw new Error('nothing was chosen');
  incoming.choose(picked);
  return incoming;
}

it('sends less at once to a server that takes less, and goes on where a lost part ended', async () => {
  const asked: string[] = [];
  const got: string[] = [];
  const incoming = chosen(asked, '0123456789');
  let isLost = true;
  await incoming.send(TERMS, async ({ batch, name, offset = 0 }, part) => {
    if (part.size > 4) throw new CallError('too_large', 'Too much.', { limit_bytes: 4 });
    if (offset === 4 && isLost) {
      isLost = false;
      got.push(await part.text());
      throw new CallError('hash_mismatch', 'It is there.', { offset: 8 });
    }
    got.push(await part.text());
    return { batch, name, files: 1 };
  });
  expect(got).toEqual(['0123', '4567', '89']);
  expect(incoming.stage).toMatchObject({ step: 'preview' });
  expect(asked).toEqual(['openImport', 'runBatch']);
});

it('drops what was sent when a file cannot be sent, and says why', async () => {
  const asked: string[] = [];
  const incoming = chosen(asked, 'text');
  await incoming.send(TERMS, () => Promise.reject(new CallError('source_missing', 'It is gone.')));
  expect(incoming.stage).toMatchObject({ step: 'nothing', error: { code: 'source_missing' } });
  expect(asked).toEqual(['openImport', 'dropBatch']);
});

it('reads nothing when it is cancelled on the way', async () => {
  const asked: string[] = [];
  const incoming = chosen(asked, 'text');
  await incoming.send(TERMS, async ({ batch, name }) => {
    incoming.cancel();
    return { batch, name, files: 1 };
  });
  expect(incoming.stage).toEqual({ step: 'nothing', error: null });
  expect(asked).toEqual(['openImport', 'dropBatch']);
});
