import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const esModules = resolve(import.meta.dirname, '../../../node_modules/yaml/browser/dist/index.js');

/** `yaml` has CommonJS for Node and the same as ES modules for browsers: only those have names that an `import()` of a chunk can take. */
export const yamlModules: Plugin = {
  name: 'yaml-modules',
  setup(build) {
    build.onResolve({ filter: /^yaml$/ }, () => ({ path: esModules, sideEffects: false }));
  },
};
