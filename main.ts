export { BrainServerPlugin as default } from './src/plugin/shell/plugin';
