export { HubError } from './error.js';
export { Hub } from './hub.js';
export { Live } from './live.js';
export { Store } from './store.js';
export * from './types.js';
