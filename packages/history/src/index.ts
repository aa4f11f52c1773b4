/**
 * History: what happened to Ray objects is still known when their pods, events and the objects themselves are deleted. `record/` follows
 * the API server and collects versions of objects, events, ends of containers and their last log lines; `store/` keeps them in one SQLite
 * file; `read/` answers questions about them, for viewers who may list the objects.
 */
export { HISTORY_GROUP, HISTORY_VERSION } from './read/paths.ts';
export { answerHistory, type HistoryAnswer, type HistoryQuestion } from './read/answer.ts';
export type {
  HistoryList,
  HistoryListItem,
  ObjectStory,
  StoryChange,
  StoryEvent,
  StoryPod,
  Stage,
} from './read/documents.ts';
export { startRecorder, type Recorder, type RecorderOptions } from './record/recorder.ts';
export { HistoryStore, HistoryStoreError } from './store/history-store.ts';
export type { Retention } from './store/retention.ts';
