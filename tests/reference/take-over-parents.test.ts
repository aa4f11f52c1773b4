import { engineStage } from '../integration/engine-stage.ts';
import { takeOverParentsSuite } from '../integration/take-over-parents-suite.ts';

takeOverParentsSuite(engineStage().open);
