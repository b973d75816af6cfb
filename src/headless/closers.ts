export { Closers } from '../core/closers';
