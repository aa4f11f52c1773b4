import { describeHead } from '../../../../tests/ray/head-suite.ts';
import { FakeHead } from './fake-head.ts';
import { runJobs } from './run-jobs.ts';
import { serveFakeHead } from './serve-fake-head.ts';

describeHead('faked', async () => {
  const token = 'secret';
  const head = new FakeHead({ now: Date.now, token });
  const server = await serveFakeHead(head);
  const timer = setInterval(() => runJobs(head), 20);
  return {
    url: server.url,
    token,
    serve: { importPath: 'app:app', port: 8000 },
    proxyUrl: server.url,
    async stop() {
      clearInterval(timer);
      await server.close();
    },
  };
});
