import { describe, expect, it } from 'vitest';
import { Annotation } from './annotations.ts';
import { CollectorEnvName, EnvName } from './env.ts';
import * as events from './events.ts';
import { Finalizer } from './finalizers.ts';
import { Label } from './labels.ts';
import { MAX_LABEL_LENGTH, MaxNameLength } from './limits.ts';
import { OperatorEnvName } from './operator-env.ts';
import { DefaultPort } from './ports.ts';

const KEYS = { Label, Annotation, Finalizer };
const ENVIRONMENTS = { EnvName, CollectorEnvName, OperatorEnvName };

describe('constants', () => {
  it.each(Object.entries({ ...KEYS, ...ENVIRONMENTS, DefaultPort, ...events }))(
    '%s names nothing twice',
    (_, names) => {
      const values = Object.values(names);
      expect(new Set(values).size).toBe(values.length);
    },
  );

  it.each(Object.entries(KEYS))('%s holds keys that Kubernetes accepts', (_, keys) => {
    const isKey = /^[a-z]+(\.[a-z0-9]+)+\/[a-z0-9]([-a-z0-9._]*[a-z0-9])?$/;
    expect(Object.values(keys).filter((key) => !isKey.test(key) || key.length > 63)).toEqual([]);
  });

  it.each(Object.entries(ENVIRONMENTS))('%s holds names that a shell accepts', (_, names) => {
    expect(Object.values(names).filter((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))).toEqual([]);
  });

  it('give event reasons that fit into one word', () => {
    const reasons = Object.entries(events).flatMap(([name, some]) =>
      name.endsWith('Reason') ? Object.values(some) : [],
    );
    expect(reasons.length).toBeGreaterThan(80);
    expect(reasons.filter((reason) => !/^[A-Z][A-Za-z]{1,127}$/.test(reason))).toEqual([]);
  });

  it('leave room in names for what is appended to them', () => {
    expect(MaxNameLength.RayCluster).toBe(MAX_LABEL_LENGTH - '-serve-svc'.length);
    expect(MaxNameLength.RayJob).toBe(MaxNameLength.RayCluster - '-xxxxx'.length);
    expect(MaxNameLength.RayService).toBe(MaxNameLength.RayJob);
    expect(MaxNameLength.RayCronJob).toBe(MaxNameLength.RayJob - '-0123456789'.length);
  });
});
