export { BrainServerPlugin as default } from './src/plugin/plugin';
