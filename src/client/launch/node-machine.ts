import { readConfiguration } from '../mcp/read-configuration.js';
import { openKept } from './kept.js';
import { launchCli } from './launch-cli.js';
import type { Machine } from './machine.js';

export const nodeMachine: Machine = { launchCli, openKept, readConfiguration };
