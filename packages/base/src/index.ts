/**
 * What several packages need and none of them should own: limits for input from outside, and error boundaries for callbacks.
 * Imports nothing; every other package may import it, except `api` and `plan`, which run in browsers.
 */
export { API_SERVER_LIMITS } from './limits.ts';
