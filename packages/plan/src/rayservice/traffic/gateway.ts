import { RayServiceEventReason as Event, serviceNames } from '@manta/api';
import { alignGateway, buildGateway } from '../../build/gateway.ts';
import { alignHttpRoute, type Backend, buildHttpRoute } from '../../build/http-route.ts';
import { servePortOf } from '../../build/service-services.ts';
import { isOwn, updateOwn } from '../../ownership.ts';
import { type Action, normal, warning } from '../../plan.ts';
import { deleteObject } from '../delete-objects.ts';
import type { Gateway, HttpRoute } from '../observed.ts';
import { type AssignedCluster, fullName, type ServiceState } from '../service-state.ts';
import type { IncrementalOptions } from '../upgrade/strategy.ts';
import { adoptedRoute, planAdoptedRoute, updatedRoute } from './adopted-route.ts';
import { FULL } from './steps.ts';

/** Creates and updates the Gateway and the HTTPRoute, whose traffic weights follow the status. */
export function planGatewayRouting(state: ServiceState, options: IncrementalOptions): readonly Action[] {
  const { gatewayApi } = state;
  if (gatewayApi.kind !== 'available') return [];
  if (adoptedRoute(state) !== undefined) return planAdoptedRoute(state, gatewayApi.route, backendsOf(state));
  return [...planGateway(state, options, gatewayApi.gateway), ...planRoute(state, gatewayApi.route)];
}

/** Deletes the Gateway and the HTTPRoute of a service whose strategy is no longer incremental. */
export function deleteGatewayRouting(state: ServiceState): readonly Action[] {
  const { gatewayApi } = state;
  if (gatewayApi.kind !== 'available') return [];
  const { gateway, route } = gatewayApi;
  const because = ', the upgrade strategy no longer needs it';
  return [
    ...(route === undefined ? [] : deleteObject(state, 'HTTPRoute', route, because)),
    ...(gateway === undefined ? [] : deleteObject(state, 'Gateway', gateway, because)),
  ];
}

function planGateway(state: ServiceState, options: IncrementalOptions, live: Gateway | undefined): readonly Action[] {
  const wanted = buildGateway(state.service, options.gatewayClassName);
  const name = fullName(state, serviceNames.gateway(state.name));
  if (live === undefined) {
    return [
      {
        type: 'create',
        kind: 'Gateway',
        objects: [wanted],
        whenExists: 'fine',
        done: normal(Event.CreatedGateway, 'Create', `Created Gateway for RayService ${name}`),
        failed: warning(Event.FailedToCreateGateway, 'Create', `Failed to create Gateway for RayService ${name}:`),
        isOptional: true,
      },
    ];
  }
  if (!isOwn(state.uid, live)) return [warnAboutForeign(Event.FailedToUpdateGateway, `Gateway ${name}`)];
  const object = alignGateway(live, wanted);
  if (object === undefined) return [];
  return updateOwn(state.uid, 'Gateway', live, object, {
    done: normal(Event.UpdatedGateway, 'Update', `Updated the Gateway ${name}`),
    failed: warning(Event.FailedToUpdateGateway, 'Update', `Failed to update the Gateway ${name}:`),
    isOptional: true,
  });
}

function planRoute(state: ServiceState, live: HttpRoute | undefined): readonly Action[] {
  const { active, service } = state;
  if (active.view === undefined) return [];
  const wanted = buildHttpRoute(service, backendsOf(state));
  const name = fullName(state, serviceNames.httpRoute(state.name));
  if (live === undefined) {
    const failed = `Failed to create the HTTPRoute for RayService ${name}:`;
    return [
      {
        type: 'create',
        kind: 'HTTPRoute',
        objects: [wanted],
        whenExists: 'fine',
        done: normal(Event.CreatedHttpRoute, 'Create', `Created HTTPRoute for RayService ${name}`),
        failed: warning(Event.FailedToCreateHttpRoute, 'Create', failed),
        isOptional: true,
      },
    ];
  }
  if (!isOwn(state.uid, live)) return [warnAboutForeign(Event.FailedToUpdateHttpRoute, `HTTPRoute ${name}`)];
  const object = alignHttpRoute(live, wanted);
  return object === undefined ? [] : updateOwn(state.uid, 'HTTPRoute', live, object, updatedRoute(state, object));
}

/** An object of that name exists, and this RayService is not its controller owner. */
function warnAboutForeign(reason: string, object: string): Action {
  const note = `The ${object} exists and is not controlled by this RayService: it is left alone, and traffic cannot be moved in steps. Delete or rename it, or rename the RayService`;
  return { type: 'event', event: warning(reason, 'Update', note) };
}

/** The serve Services of the existing clusters with their traffic weights. */
function backendsOf({ active, pending }: ServiceState): readonly Backend[] {
  const backends = [backendOf(active, FULL), backendOf(pending, 0)].filter((backend) => backend !== undefined);
  // The only cluster gets all traffic, whatever weight the status recorded while there were two.
  return backends.length === 1 ? backends.map((backend) => ({ ...backend, weight: FULL })) : backends;
}

function backendOf({ view, name, status }: AssignedCluster, defaultWeight: number): Backend | undefined {
  if (view === undefined) return undefined;
  const weight = status.trafficRoutedPercent ?? defaultWeight;
  return { service: serviceNames.serve(name), port: servePortOf(view.cluster), weight };
}
