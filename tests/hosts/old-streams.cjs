// What a renderer of an older app has not, or does in its own way, for the simulator: streams that cannot be iterated over (Chromium
// before 124), and requests that drop the headers which only a browser may set.
'use strict';

const { runInThisContext } = process.getBuiltinModule('node:vm');

const FORBIDDEN = [
  'host',
  'origin',
  'connection',
  'content-length',
  'cookie',
  'referer',
  'te',
  'upgrade',
  'via',
];

module.exports = {
  begin() {
    for (const method of [Symbol.asyncIterator, 'values']) delete ReadableStream.prototype[method];
    const Whole = Request;
    class Bare extends Whole {
      constructor(...args) {
        super(...args);
        for (const name of FORBIDDEN) this.headers.delete(name);
      }
    }
    runInThisContext('(Bare) => { Request = Bare; }')(Bare);
  },
  async end() {
    return { streamsCanBeIterated: Symbol.asyncIterator in ReadableStream.prototype };
  },
};
