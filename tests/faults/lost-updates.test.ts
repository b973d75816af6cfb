import { describeLostUpdates } from './lost-updates';
import { startNode } from './node-host';

describeLostUpdates('on a plain disk', {
  start: startNode,
  isTooLate: (call, path) => call === `rename ${path}` || call === `unlink ${path}`,
  saved: () => undefined,
  type: null,
});
