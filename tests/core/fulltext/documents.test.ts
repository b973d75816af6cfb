import { Documents } from '../../../src/core/fulltext/documents';

const MOST = 100;

function put(documents: Documents<{ readonly path: string }>, n: number): number {
  return documents.put({ path: `notes/${n}` }, 40);
}

describe('documents', () => {
  it('may be as many as there are numbers, whichever of them have been used before', () => {
    const documents = new Documents(() => ({}), MOST);
    for (let n = 0; n < MOST; n += 1) put(documents, n);
    expect(() => put(documents, MOST)).toThrow(`at most ${MOST} documents`);
    documents.drop('notes/3');
    documents.drop('notes/70');
    expect([put(documents, MOST), put(documents, MOST + 1)].sort()).toEqual([3, 70]);
    expect(documents.size).toBe(MOST);
    expect(() => put(documents, MOST + 2)).toThrow(RangeError);
  });

  it('replaces one when there is no number left', () => {
    const documents = new Documents(() => ({}), MOST);
    for (let n = 0; n < MOST; n += 1) put(documents, n);
    expect(put(documents, 7)).toBe(7);
    expect(documents.size).toBe(MOST);
  });
});
