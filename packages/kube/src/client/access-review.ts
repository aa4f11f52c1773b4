import type { CallOptions, KubeClient } from './client.ts';

/** Something that one may or may not do. */
export interface AccessQuestion {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Absent: in all namespaces, or cluster-scoped. */
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface AccessAnswer {
  readonly isAllowed: boolean;
  /** Why, where the server says; e.g. the role binding that allows it. */
  readonly reason: string;
}

/** Asks the server whether we may do this (SelfSubjectAccessReview). */
export async function mayI(client: KubeClient, question: AccessQuestion, options?: CallOptions): Promise<AccessAnswer> {
  const { verb, group, resource, subresource, namespace, name } = question;
  const review = await client.post<{ status?: { allowed?: boolean; reason?: string; evaluationError?: string } }>(
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    {
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec: { resourceAttributes: { verb, group, resource, subresource, namespace, name } },
    },
    options,
  );
  const status = review.status ?? {};
  return { isAllowed: status.allowed === true, reason: status.reason ?? status.evaluationError ?? '' };
}

/** One rule of what we may do; `*` stands for all. */
export interface AccessRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  /** `pods`, `pods/status`, `*`. */
  readonly resources: readonly string[];
  /** Empty: whatever the name. */
  readonly resourceNames: readonly string[];
}

export interface AccessRules {
  readonly rules: readonly AccessRule[];
  /** True when an authorizer could not list all its rules (a webhook, for instance): what is missing may still be allowed. */
  readonly isIncomplete: boolean;
}

/** All that we may do in a namespace, in one request (SelfSubjectRulesReview). Cluster-wide grants are included. */
export async function myRules(client: KubeClient, namespace: string, options?: CallOptions): Promise<AccessRules> {
  const review = await client.post<{
    status?: { incomplete?: boolean; resourceRules?: readonly Partial<AccessRule>[] };
  }>(
    '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    { kind: 'SelfSubjectRulesReview', apiVersion: 'authorization.k8s.io/v1', spec: { namespace } },
    options,
  );
  const rules = (review.status?.resourceRules ?? []).map(
    ({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }) => ({
      verbs,
      apiGroups,
      resources,
      resourceNames,
    }),
  );
  return { rules, isIncomplete: review.status?.incomplete === true };
}

/** Whether one of these rules grants that. The namespace is the one that the rules were asked for. */
export function isGranted(rules: AccessRules, question: AccessQuestion): boolean {
  const { verb, group, resource, subresource, name } = question;
  const wanted = subresource === undefined ? resource : `${resource}/${subresource}`;
  return rules.rules.some(
    (rule) =>
      covers(rule.verbs, verb) &&
      covers(rule.apiGroups, group) &&
      (covers(rule.resources, wanted) || (subresource !== undefined && rule.resources.includes(`*/${subresource}`))) &&
      (rule.resourceNames.length === 0 || (name !== undefined && rule.resourceNames.includes(name))),
  );
}

function covers(granted: readonly string[], wanted: string): boolean {
  return granted.includes('*') || granted.includes(wanted);
}
