import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { crds } from '@manta/api/crds';
import { stringify } from 'yaml';
import { rulesTemplate } from './rules-template.ts';

/**
 * `npm run charts`: brings the generated template up to date and puts the charts into dist/charts, ready for `helm install` and `helm package`,
 * with the CustomResourceDefinitions in place (four megabytes that are made from the code, so the repository does without them).
 */
const root = resolve(import.meta.dirname, '../../..');
const target = join(root, 'dist/charts');

writeFileSync(join(root, 'charts/kuberay-operator/templates/_rules.tpl'), rulesTemplate());
rmSync(target, { recursive: true, force: true });
cpSync(join(root, 'charts'), target, { recursive: true });
const folder = join(target, 'kuberay-operator/crds');
mkdirSync(folder);
for (const crd of crds()) {
  const file = join(folder, `${crd.spec.group}_${crd.spec.names.plural}.yaml`);
  writeFileSync(file, stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }));
}
console.log('charts: dist/charts/kuberay-operator, dist/charts/ray-cluster');
