/** The tools for files, side by side with those of Claude Code. */
import type { Scenario } from '../support/scenario.js';
import { callsOfFileTools } from './calls-of-file-tools.js';
import { fileChanging } from './file-changing.js';
import { fileReading } from './file-reading.js';
import { notebookEditing } from './notebook-editing.js';
import { offeredTools } from './offered-tools.js';

export const fileTools: readonly Scenario[] = [
  ...offeredTools,
  ...fileReading,
  ...fileChanging,
  ...notebookEditing,
  ...callsOfFileTools,
];
