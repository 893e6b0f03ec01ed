/** The tools for files, side by side with those of Claude Code. */
import type { Scenario } from '../support/scenario.js';
import { fileChanging } from './file-changing.js';
import { fileReading } from './file-reading.js';
import { notebookEditing } from './notebook-editing.js';

export const fileTools: readonly Scenario[] = [...fileReading, ...fileChanging, ...notebookEditing];
