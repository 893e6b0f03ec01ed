import type { ModelTool } from '../model.js';
import type { RuntimeTool } from './tool-port.js';

/** A tool as the model sees it. */
export function definition({ name, description, inputSchema }: RuntimeTool): ModelTool {
  return { name, description, input_schema: inputSchema };
}

/**
 * Sorted, so that a server that connects late or again changes as little as possible of the start of the
 * prompt.
 */
export function byToolName(left: ModelTool, right: ModelTool): number {
  return left.name < right.name ? -1 : 1;
}
