import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { clusterRole, describePermission, isGranted, permissionsOf, ACCESS_RULES } from '@manta/operator';
import { sharedFolder } from '../support/shared-folder.ts';

it("asks for nothing that the peer's role does not have", () => {
  const peer = parse(readFileSync(join(sharedFolder(), 'reference/rbac/role.yaml'), 'utf8')) as { rules: never[] };
  const base = permissionsOf(ACCESS_RULES.filter((rule) => rule.profile === 'base'));
  expect(base.filter((permission) => !isGranted(permission, peer.rules)).map(describePermission)).toEqual([]);
  expect(clusterRole([]).rules.length).toBeGreaterThan(10);
});
