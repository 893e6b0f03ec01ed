/** Loaded with the first process: a program whose agents are all in this process never pays for it. */
export function childProcess(): typeof import('node:child_process') {
  return process.getBuiltinModule('node:child_process');
}
