/**
 * The web console's server: logs a viewer in, streams what that viewer may see, and passes requests to the API server with the viewer's
 * own identity. It has no rights of its own over users' objects beyond the caches of its informers, which every viewer sees only through
 * access reviews.
 */
export type * from './protocol.ts';
export { STREAMED_KINDS } from './protocol.ts';
