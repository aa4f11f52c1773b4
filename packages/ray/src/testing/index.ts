export * from './fake-head.ts';
export { PollerBench } from './poller-bench.ts';
export { fakeSend } from './fake-send.ts';
export { serveFakeHead, type ServedHead } from './serve-fake-head.ts';
export { runJobs } from './run-jobs.ts';
