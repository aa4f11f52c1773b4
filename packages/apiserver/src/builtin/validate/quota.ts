import { invalid } from '../../field/cause.ts';
import type { JsonObject } from '../../object/json.ts';
import { part, textEntries, texts } from '../read.ts';
import type { Causes } from './check.ts';
import { checkAmount, checkResourceName } from './resources.ts';

const countable =
  /^((requests|limits)\.)?(cpu|memory|ephemeral-storage)$|^(requests\.storage|pods|resourcequotas|services|replicationcontrollers|secrets|persistentvolumeclaims|configmaps|services\.nodeports|services\.loadbalancers)$|^(requests\.)?hugepages-/;
const scopes = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];

/** Checks a quota. */
export function checkQuota(object: JsonObject): Causes {
  const spec = part(object, 'spec') ?? {};
  return [
    ...textEntries(spec, 'hard').flatMap(([name, amount]) => {
      const field = `spec.hard[${name}]`;
      const isCountable = name.includes('/') || countable.test(name);
      return [
        ...checkResourceName(name, field),
        ...(isCountable ? [] : [invalid(field, name, 'must be a standard resource for quota')]),
        ...checkAmount(name, amount, field),
      ];
    }),
    ...scopeCauses(spec),
  ];
}

function scopeCauses(spec: JsonObject): Causes {
  const given = texts(spec, 'scopes');
  const has = (...names: readonly string[]) => names.every((name) => given.includes(name));
  const problems = [
    ...given.filter((scope) => !scopes.includes(scope)).map(() => 'unsupported scope'),
    ...(has('BestEffort', 'NotBestEffort') ? ['conflicting scopes'] : []),
    ...(has('Terminating', 'NotTerminating') ? ['conflicting scopes'] : []),
  ];
  return problems.map((problem) => invalid('spec.scopes', given, problem));
}
