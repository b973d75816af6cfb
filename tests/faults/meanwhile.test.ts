import { describeMeanwhile } from './meanwhile';
import { startNode } from './node-host';

describeMeanwhile('on a plain disk', {
  start: startNode,
  isTooLate: (call, path) => call === `rename ${path}` || call === `unlink ${path}`,
  saved: () => undefined,
});
