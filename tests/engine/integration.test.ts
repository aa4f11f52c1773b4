import { expect, it } from 'vitest';
import { engineStage } from '../integration/engine-stage.ts';
import { kueueSuite } from '../integration/kueue-suite.ts';
import { permissionsSuite } from '../integration/permissions-suite.ts';
import { rayClusterSuite } from '../integration/raycluster-suite.ts';
import { rayJobSuite } from '../integration/rayjob-suite.ts';
import { rayServiceSuite } from '../integration/rayservice-suite.ts';

const { open, internalErrors } = engineStage();

rayClusterSuite(open);
rayJobSuite(open);
rayServiceSuite(open);
kueueSuite(open);
permissionsSuite(open);

it('the engine met no fault of its own on the way', () => expect(internalErrors()).toEqual([]));
