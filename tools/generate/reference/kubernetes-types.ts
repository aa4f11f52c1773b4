import {
  condition,
  envFromSource,
  envVar,
  envVarSource,
  ingressTLS,
  networkPolicyEgressRule,
  networkPolicyIngressRule,
  podTemplateSpec,
  resourceRequirements,
  securityContext,
  service,
  volumeMount,
} from '../../../packages/api/src/schema/pod-template.gen.ts';
import type { Schema } from '../../../packages/api/src/schema/dsl.ts';

const TYPES: Readonly<Record<string, Schema>> = {
  Condition: condition,
  EnvFromSource: envFromSource,
  EnvVar: envVar,
  EnvVarSource: envVarSource,
  IngressTLS: ingressTLS,
  NetworkPolicyEgressRule: networkPolicyEgressRule,
  NetworkPolicyIngressRule: networkPolicyIngressRule,
  PodTemplateSpec: podTemplateSpec,
  ResourceRequirements: resourceRequirements,
  SecurityContext: securityContext,
  Service: service,
  VolumeMount: volumeMount,
};

/** Name of the Kubernetes type that a schema embeds. Embedding copies a schema's top level only, so `properties` stays the same object. */
export function kubernetesType({ properties }: Schema): string | undefined {
  if (properties === undefined) return undefined;
  return Object.entries(TYPES).find(([, type]) => type.properties === properties)?.[0];
}
