import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type AccessRule, isGranted } from '@manta/kube';
import { ACCESS_RULES, clusterRole, describePermission, permissionsOf } from '@manta/operator';
import { sharedFolder } from '../support/shared-folder.ts';

it("asks for nothing that the peer's role does not have", () => {
  const peer = parse(readFileSync(join(sharedFolder(), 'reference/rbac/role.yaml'), 'utf8')) as { rules: AccessRule[] };
  const rules = { rules: peer.rules.map((rule) => ({ ...rule, resourceNames: [] })), isIncomplete: false };
  const base = permissionsOf(ACCESS_RULES.filter((rule) => rule.profile === 'base'));
  expect(base.filter((permission) => !isGranted(rules, permission)).map(describePermission)).toEqual([]);
  expect(clusterRole([]).rules.length).toBeGreaterThan(10);
});
