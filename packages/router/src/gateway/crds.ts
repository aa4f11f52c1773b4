import type { CustomResourceDefinition } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { GATEWAY_GROUP, gatewayClasses, gateways, httpRoutes, referenceGrants } from './kinds.ts';

type Schema = Readonly<Record<string, unknown>>;

const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * Definitions of the kinds for clusters that have none, such as the embedded engine: the names, the status subresource and what
 * must be there. The Gateway API's own definitions say far more; where they are installed, these are not needed.
 */
export function gatewayCrds(): readonly CustomResourceDefinition[] {
  const listeners = { type: 'array', minItems: 1, items: { ...anything, required: ['name', 'port', 'protocol'] } };
  const gatewaySpec = {
    ...anything,
    required: ['gatewayClassName', 'listeners'],
    properties: { gatewayClassName: { type: 'string', minLength: 1 }, listeners },
  };
  const classSpec = {
    ...anything,
    required: ['controllerName'],
    properties: { controllerName: { type: 'string', minLength: 1 } },
  };
  const ends = { type: 'array', minItems: 1, items: { ...anything, required: ['kind'] } };
  const grantSpec = { ...anything, required: ['from', 'to'], properties: { from: ends, to: ends } };
  return [
    definition(gatewayClasses, classSpec, [column('Controller', '.spec.controllerName'), accepted]),
    definition(gateways, gatewaySpec, [
      column('Class', '.spec.gatewayClassName'),
      column('Address', '.status.addresses[*].value'),
      column('Programmed', '.status.conditions[?(@.type=="Programmed")].status'),
    ]),
    definition(httpRoutes, anything, [column('Hostnames', '.spec.hostnames')]),
    definition(referenceGrants, grantSpec, []),
  ];
}

const accepted = column('Accepted', '.status.conditions[?(@.type=="Accepted")].status');

function column(name: string, jsonPath: string) {
  return { name, type: 'string', jsonPath };
}

function definition(
  { group, version, plural, kind, isNamespaced }: ResourceType,
  spec: Schema,
  additionalPrinterColumns: readonly ReturnType<typeof column>[],
): CustomResourceDefinition {
  const singular = kind.toLowerCase();
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${GATEWAY_GROUP}`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, the least that the router of Manta needs' },
    },
    spec: {
      group,
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns,
          schema: { openAPIV3Schema: { type: 'object', required: ['spec'], properties: { spec, status: anything } } },
        },
      ],
    },
  };
}
