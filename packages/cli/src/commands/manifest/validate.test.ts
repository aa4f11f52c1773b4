import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFile } from './validate.ts';

const check = (text: string) =>
  checkFile({ name: 'f.yaml', text }).problems.map(
    ({ line, column, severity, field, message }) => `${line}:${column} ${severity} ${field} ${message}`,
  );
const job = (spec: string) =>
  `apiVersion: ray.io/v1\nkind: RayJob\nmetadata:\n  name: train\nspec:\n${spec.replaceAll(/^/gm, '  ')}\n`;
const cluster =
  'rayClusterSpec:\n  headGroupSpec:\n    rayStartParams: {}\n    template:\n      spec:\n        containers: [{ name: h, image: i }]';

describe('checkFile()', () => {
  it('accepts a valid job', () => {
    expect(check(job(`entrypoint: python x.py\n${cluster}`))).toEqual([]);
  });

  it('names an unknown field, its place and the closest one', () => {
    expect(check(job(`entrypoint: x\nbackofLimit: 1\n${cluster}`))).toEqual([
      '7:3 error spec.backofLimit unknown field. Did you mean backoffLimit?',
    ]);
  });

  it('finds values of the wrong type', () => {
    expect(check(job(`entrypoint: x\nbackoffLimit: often\n${cluster}`))[0]).toMatch(
      /^7:3 error spec\.backoffLimit Invalid value: "string"/,
    );
  });

  it('evaluates the CEL rules of the schema', () => {
    const text = job(`entrypoint: x\nmanagedBy: me\n${cluster}`);
    expect(check(text)[0]).toMatch(/^7:3 error spec\.managedBy .*managedBy/);
  });

  it("evaluates the operator's own rules", () => {
    expect(check(job('entrypoint: x'))).toEqual([
      '5:1 error spec.rayClusterSpec The RayJob spec is invalid: one of RayClusterSpec or ClusterSelector must be set',
    ]);
    expect(check(job(`entrypoint: x\nbackoffLimit: 1\nclusterSelector:\n  ray.io/cluster: c`))[0]).toMatch(
      /^7:3 error spec\.backoffLimit .*incompatible/,
    );
  });

  it('warns about fields without effect', () => {
    const text = `apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: { name: c }\nspec:\n  autoscalerOptions: {}\n${cluster.split('\n').slice(1).join('\n')}\n`;
    expect(check(text)[0]).toMatch(/^5:3 warning spec\.autoscalerOptions .*has no effect/);
  });

  it('gives the place of malformed YAML, and checks the other documents', () => {
    const text = `a: [1\n---\n${job('entrypoint: x')}`;
    const problems = check(text);
    expect(problems[0]).toMatch(/^[12]:\d+ error/);
    expect(problems.at(-1)).toContain('spec.rayClusterSpec');
  });

  it('finds the place within a List, and skips other kinds', () => {
    const text = `kind: List\nitems:\n  - kind: Service\n    apiVersion: v1\n  - apiVersion: ray.io/v1\n    kind: RayJob\n    metadata: {}\n    spec: {}\n`;
    const { problems, others, rayObjects } = checkFile({ name: 'f', text });
    expect({ others, rayObjects }).toEqual({ others: ['Service'], rayObjects: 1 });
    expect(problems[0]).toMatchObject({ line: 7, field: 'metadata.name' });
  });

  it('refuses a kind that does not exist', () => {
    expect(check('apiVersion: ray.io/v1\nkind: RayJobb\n')[0]).toMatch(/^2:1 error kind .*Use one of: RayCluster/);
  });

  it('accepts all samples of the repository', () => {
    const root = resolve(import.meta.dirname, '../../../../../samples');
    for (const file of globSync('*.yaml', { cwd: root })) {
      const { problems } = checkFile({ name: file, text: readFileSync(join(root, file), 'utf8') });
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    }
  });
});
