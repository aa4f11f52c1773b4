export { startTestEngine, type TestEngine, type TestEngineOptions, type TestUser } from './start-test-engine.ts';
