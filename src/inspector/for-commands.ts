// What the command needs of the inspector, in one place: it is imported from the package, and not copied.

export { redactorOf } from '../observe/redactor.js';
export {
  makePrivateDirectory,
  removePrivateDirectory,
} from '../protocol/transport/process/private-directory.js';
export { htmlOf } from './html-export.js';
export { startInspector } from './inspector.js';
export type { Inspector, InspectorControl } from './inspector-types.js';
export { watchFolder } from './watch-folder.js';
export { watchProcess } from './watch-process.js';
