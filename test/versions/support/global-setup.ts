/** Before the tests: every chosen version is there. One after another, so that the lines on the screen can be read. */
import type { TestProject } from 'vitest/node';
import { type Cli, chosenVersions, fetchCli, removeLeftovers } from './fetch-cli.js';

declare module 'vitest' {
  export interface ProvidedContext {
    clis: Cli[];
  }
}

export default async function setup(project: TestProject): Promise<void> {
  await removeLeftovers();
  const clis: Cli[] = [];
  for (const version of chosenVersions()) clis.push(await fetchCli(version));
  project.provide('clis', clis);
}
