import { describeMatrix } from './matrix';
import { startNode } from './node-host';

describeMatrix('on a plain disk', startNode);
