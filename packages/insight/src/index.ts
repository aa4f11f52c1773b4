export * from './lookup.ts';
export type { Cause, Evidence, Health, Link, Why } from './why/cause.ts';
export { CAUSES, type CauseCode } from './why/codes.ts';
export { podCause } from './why/pod.ts';
export { why } from './why/why.ts';
export * from './world.ts';
