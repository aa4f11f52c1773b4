import { refText } from '../lookup.ts';
import { itemsOf, type ObjectRef, type World } from '../world.ts';
import { brief, type Cause, type Evidence } from './cause.ts';
import type { CauseCode } from './codes.ts';

interface RefusalKind {
  readonly code: CauseCode;
  readonly pattern: RegExp;
  /** The sentence, given what the pattern captured. */
  readonly says: (match: RegExpExecArray, who: string) => string;
  readonly action: string;
}

/** How the API server words a refusal, the specific before the general. */
const KINDS: readonly RefusalKind[] = [
  {
    code: 'QuotaExceeded',
    pattern: /exceeded quota: ([^,\s]+)(?:, requested: (.*?), used: (.*?), limited: ([^"]*))?/,
    says: ([, quota, requested, used, limited], who) =>
      requested === undefined
        ? `ResourceQuota ${quota} of the namespace does not allow the pods of ${who}`
        : `ResourceQuota ${quota} has no room for the pods of ${who}: requested ${requested}, used ${used}, limit ${brief(limited)}`,
    action: 'Delete what is not needed in the namespace, lower the requests, or have the quota raised.',
  },
  {
    code: 'QuotaExceeded',
    pattern: /failed quota: ([^:\s]+): must specify (.*)/,
    says: ([, quota, fields], who) => `ResourceQuota ${quota} wants every pod of ${who} to specify ${brief(fields)}`,
    action: 'Add these requests or limits to every container of the pod templates.',
  },
  {
    code: 'PodSecurity',
    pattern: /violates PodSecurity "([^"]+)": (.*)/,
    says: ([, level, why], who) =>
      `the namespace's Pod Security level ${level} forbids the pods of ${who}: ${brief(why)}`,
    action:
      'Add the securityContext that the message names to the pod templates, or have the level of the namespace changed.',
  },
  {
    code: 'LimitRange',
    pattern: /(minimum|maximum) (\S+) usage per (\w+) is ([^,]+), but (.*)/,
    says: ([, bound, resource, per, value, but], who) =>
      `a LimitRange allows a ${bound} of ${value} ${resource} per ${per} in the pods of ${who}, but ${brief(but)}`,
    action: 'Change the resources in the pod templates so that they are within the LimitRange.',
  },
  {
    code: 'WebhookUnavailable',
    pattern: /failed calling webhook "([^"]+)"(.*)/,
    says: ([, webhook, why], who) =>
      `admission webhook ${webhook} does not answer, so the API server refuses the objects of ${who}: ${brief(why?.replace(/^: /, ''))}`,
    action: 'Repair the Service behind the webhook, or have its failurePolicy changed.',
  },
  {
    code: 'AdmissionDenied',
    pattern: /admission webhook "([^"]+)" denied the request: ?(.*)/,
    says: ([, webhook, why], who) => `admission webhook ${webhook} refused an object of ${who}: ${brief(why)}`,
    action: 'Change the spec as the message asks.',
  },
  {
    code: 'AdmissionDenied',
    pattern: /ValidatingAdmissionPolicy '([^']+)'.*?denied request: (.*)/,
    says: ([, policy, why], who) => `admission policy ${policy} refused an object of ${who}: ${brief(why)}`,
    action: 'Change the spec as the message asks.',
  },
  {
    code: 'MissingServiceAccount',
    pattern: /service ?account ([\w./"-]*).*?not found/i,
    says: ([, name], who) =>
      `the pods of ${who} need ServiceAccount ${name?.replaceAll('"', '').replace(/^.*[/:]/, '')}, which does not exist`,
    action: 'Create the ServiceAccount, or correct serviceAccountName in the pod template.',
  },
  {
    code: 'MissingPriorityClass',
    pattern: /no PriorityClass with name (\S+) was found/,
    says: ([, name], who) => `the pods of ${who} need PriorityClass ${name}, which does not exist`,
    action: 'Create the PriorityClass, or correct priorityClassName in the pod template.',
  },
  {
    code: 'NamespaceTerminating',
    pattern: /because it is being terminated/,
    says: (_, who) => `the namespace of ${who} is being deleted`,
    action: 'Use another namespace.',
  },
  {
    code: 'PermissionMissing',
    pattern: /(?:User "([^"]+)" )?cannot (\w+) resource "([^"]+)"/,
    says: ([, , verb, resource], who) => `the operator may not ${verb} ${resource}, which ${who} needs`,
    action: 'Bind the operator to the role that "manta rbac" prints, or add the rule to its role.',
  },
  {
    code: 'InvalidPod',
    pattern: /(Pod|Service|Job|PersistentVolumeClaim) "([^"]+)" is invalid: (.*)/,
    says: ([, kind, name, why]) => `the API server refuses ${kind} ${name} as invalid: ${brief(why)}`,
    action: 'Correct the field that the message names in the pod template.',
  },
];

/** Reads the API server's words about an object that the operator wanted to write. */
export function refusalCause(owner: ObjectRef, message: string, evidence: Evidence, world: World): Cause {
  const flat = message.replaceAll(/\s+/g, ' ');
  for (const { code, pattern, says, action } of KINDS) {
    const match = pattern.exec(flat);
    if (match === null) continue;
    return {
      code,
      object: owner,
      sentence: says(match, refText(owner)),
      action,
      evidence: [evidence, ...quotaEvidence(code, match[1], owner, world)],
    };
  }
  return {
    code: 'CreateRefused',
    object: owner,
    sentence: `the API server refused an object of ${refText(owner)}: ${brief(flat)}`,
    evidence: [evidence],
    action: 'Change what the message names; the operator tries again.',
  };
}

function quotaEvidence(
  code: CauseCode,
  name: string | undefined,
  { namespace }: ObjectRef,
  world: World,
): readonly Evidence[] {
  if (code !== 'QuotaExceeded') return [];
  const quota = itemsOf(world.quotas).find(
    ({ metadata }) => metadata?.name === name && metadata?.namespace === namespace,
  );
  const { hard = {}, used = {} } = quota?.status ?? {};
  const rows = Object.keys(hard).map((key) => `${key} ${used[key] ?? 0} of ${hard[key]}`);
  if (rows.length === 0) return [];
  return [
    {
      object: { kind: 'ResourceQuota', name: name ?? '', ...(namespace === undefined ? {} : { namespace }) },
      source: 'status.used',
      text: rows.join(', '),
    },
  ];
}
