/** NetworkPolicies: exceptions only where a direction is closed, and for groups that exist. */
import { networkPolicyModeOf } from '../defaults.ts';
import { goQuote } from '../go-quote.ts';
import { isSet, type Loose, listOf, textOf } from '../loose.ts';
import { NetworkPolicyMode, type NetworkPolicyRules } from '../raycluster.ts';
import { type FieldError, fieldError, firstErrorOf } from './field-error.ts';
import { bracketed, dns1123LabelErrors } from './kubernetes-names.ts';
import { type ClusterInput, firstGroupError } from './input.ts';

/** All rules on network policies, in their order. */
export function checkNetworkPolicy(input: ClusterInput): FieldError | undefined {
  const policy = input.spec?.networkPolicy;
  if (!isSet(policy)) return undefined;
  const path = `${input.at}.networkPolicy`;
  if (!input.gates.RayClusterNetworkPolicy) {
    const message = 'spec.networkPolicy requires the RayClusterNetworkPolicy feature gate to be enabled';
    return fieldError(path, message);
  }
  const mode = networkPolicyModeOf(policy);
  return (
    checkRules(policy?.head, mode, 'networkPolicy.head', `${path}.head`) ??
    checkRules(policy?.worker, mode, 'networkPolicy.worker', `${path}.worker`) ??
    checkGroupNames(input) ??
    checkGroupRules(input, mode, `${path}.workerGroups`)
  );
}

function checkRules(
  rules: Loose<NetworkPolicyRules>,
  mode: NetworkPolicyMode,
  label: string,
  path: string,
): FieldError | undefined {
  const open = (list: string, direction: string) =>
    fieldError(
      `${path}.${list}`,
      `${label}.${list} cannot be set when mode is "${mode}" (${direction} is not restricted)`,
    );
  if (mode === NetworkPolicyMode.DenyAllEgress && listOf(rules?.ingressRules).length > 0) {
    return open('ingressRules', 'ingress');
  }
  if (mode === NetworkPolicyMode.DenyAllIngress && listOf(rules?.egressRules).length > 0) {
    return open('egressRules', 'egress');
  }
  return undefined;
}

function checkGroupNames(input: ClusterInput): FieldError | undefined {
  return firstGroupError(input, ({ name, at }) => {
    const reasons = dns1123LabelErrors(name);
    if (reasons.length === 0) return undefined;
    const rule =
      'must be a valid DNS1123 label when networkPolicy is enabled (it is embedded in the NetworkPolicy name)';
    return fieldError(`${at}.groupName`, `worker group name ${goQuote(name)} ${rule}: ${bracketed(reasons)}`);
  });
}

function checkGroupRules({ spec }: ClusterInput, mode: NetworkPolicyMode, path: string): FieldError | undefined {
  const known = new Set(listOf(spec?.workerGroupSpecs).map((group) => textOf(group?.groupName)));
  return firstErrorOf(listOf(spec?.networkPolicy?.workerGroups), (entry, index) => {
    const name = textOf(entry?.groupName);
    const label = `networkPolicy.workerGroups[${goQuote(name)}]`;
    const conflict = checkRules(entry, mode, label, `${path}[${index}]`);
    if (conflict || known.has(name)) return conflict;
    return fieldError(`${path}[${index}].groupName`, `${label} does not match any group name in workerGroupSpecs`);
  });
}
