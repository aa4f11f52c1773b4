import type { Condition, KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';

/** What we read of the Gateway API's kinds. All of it is optional: objects may have been stored under any version of the schema. */

export interface GatewayClass extends KubeObject {
  readonly spec?: { readonly controllerName?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Gateway extends KubeObject {
  readonly spec?: {
    readonly gatewayClassName?: string;
    readonly listeners?: readonly Listener[];
    /** Settings for client certificates, which the router does not support. */
    readonly tls?: { readonly frontend?: unknown };
  };
  readonly status?: GatewayStatus;
}

export interface Listener {
  readonly name?: string;
  readonly hostname?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly tls?: ListenerTls;
  readonly allowedRoutes?: {
    readonly namespaces?: { readonly from?: string };
    readonly kinds?: readonly { readonly group?: string; readonly kind?: string }[];
  };
}

export interface ListenerTls {
  readonly mode?: string;
  readonly certificateRefs?: readonly CertificateRef[];
  readonly frontendValidation?: unknown;
}

export interface CertificateRef {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Lets objects of another namespace refer to those beside it. */
export interface ReferenceGrant extends KubeObject {
  readonly spec?: {
    readonly from?: readonly { readonly group?: string; readonly kind?: string; readonly namespace?: string }[];
    readonly to?: readonly { readonly group?: string; readonly kind?: string; readonly name?: string }[];
  };
}

export interface GatewayStatus {
  readonly addresses?: readonly { readonly type?: string; readonly value?: string }[];
  readonly conditions?: readonly Condition[];
  readonly listeners?: readonly ListenerStatus[];
}

export interface ListenerStatus {
  readonly name: string;
  readonly attachedRoutes: number;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly conditions: readonly Condition[];
}

export interface HttpRoute extends KubeObject {
  readonly spec?: {
    readonly parentRefs?: readonly ParentRef[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly HttpRouteRule[];
  };
  readonly status?: { readonly parents?: readonly RouteParentStatus[] };
}

export interface ParentRef {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly sectionName?: string;
  readonly port?: number;
}

export interface HttpRouteRule {
  readonly matches?: readonly HttpRouteMatch[];
  readonly filters?: readonly HttpRouteFilter[];
  readonly backendRefs?: readonly BackendRef[];
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
}

export interface HttpRouteMatch {
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly method?: string;
  readonly headers?: readonly NamedMatch[];
  readonly queryParams?: readonly NamedMatch[];
}

export interface NamedMatch {
  readonly type?: string;
  readonly name?: string;
  readonly value?: string;
}

export interface HttpRouteFilter {
  readonly type?: string;
  readonly requestHeaderModifier?: HeaderModifier;
  readonly responseHeaderModifier?: HeaderModifier;
  readonly requestRedirect?: {
    readonly scheme?: string;
    readonly hostname?: string;
    readonly port?: number;
    readonly statusCode?: number;
    readonly path?: PathModifier;
  };
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: PathModifier };
}

export interface HeaderModifier {
  readonly set?: readonly { readonly name?: string; readonly value?: string }[];
  readonly add?: readonly { readonly name?: string; readonly value?: string }[];
  readonly remove?: readonly string[];
}

export interface PathModifier {
  readonly type?: string;
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface BackendRef {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
  readonly weight?: number;
  readonly filters?: readonly HttpRouteFilter[];
}

export interface RouteParentStatus {
  readonly parentRef: ParentRef;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

export const GATEWAY_GROUP = 'gateway.networking.k8s.io';

/** Who we are in GatewayClasses and in the status of routes. */
export const CONTROLLER_NAME = 'manta.ray.io/router';

/** The default name of our GatewayClass. */
export const DEFAULT_CLASS = 'manta';

export const gatewayClasses: ResourceType<GatewayClass> = {
  group: GATEWAY_GROUP,
  version: 'v1',
  plural: 'gatewayclasses',
  kind: 'GatewayClass',
  isNamespaced: false,
};

export const gateways: ResourceType<Gateway> = {
  group: GATEWAY_GROUP,
  version: 'v1',
  plural: 'gateways',
  kind: 'Gateway',
  isNamespaced: true,
};

export const httpRoutes: ResourceType<HttpRoute> = {
  group: GATEWAY_GROUP,
  version: 'v1',
  plural: 'httproutes',
  kind: 'HTTPRoute',
  isNamespaced: true,
};

export const referenceGrants: ResourceType<ReferenceGrant> = {
  group: GATEWAY_GROUP,
  version: 'v1beta1',
  plural: 'referencegrants',
  kind: 'ReferenceGrant',
  isNamespaced: true,
};
