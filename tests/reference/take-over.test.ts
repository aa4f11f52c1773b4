import { engineStage } from '../integration/engine-stage.ts';
import { takeOverSuite } from '../integration/take-over-suite.ts';

takeOverSuite(engineStage().open);
