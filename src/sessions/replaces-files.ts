/**
 * On a session store: what it has is the conversation, and what the CLI's own file has besides is not. Without it a file that
 * exists only gets what it lacks.
 */
export const REPLACES_FILES: unique symbol = Symbol('tenon.replaces-files');
