import { provideRay } from '../../packages/manta/src/local/provide-ray.ts';
import { startRayHead } from '../support/ray-head.ts';
import { describeHead } from './head-suite.ts';

describeHead('real', async () => {
  const token = 'manta-tests-token';
  const venv = await provideRay();
  const env = { RAY_AUTH_MODE: 'token', RAY_AUTH_TOKEN: token, PYTHONPATH: import.meta.dirname };
  const head = await startRayHead({ venv, env });
  return {
    url: head.url,
    token,
    serve: { importPath: 'app:app', port: head.servePort },
    proxyUrl: `http://127.0.0.1:${head.servePort}`,
    stop: () => head.stop(),
  };
});
