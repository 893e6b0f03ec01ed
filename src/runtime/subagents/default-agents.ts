import type { KnownAgent } from './known-agent.js';

/** The agent that a call without `subagent_type` means. */
export const GENERAL_PURPOSE = 'general-purpose';

const REPORT =
  'Whoever handed you the task reads only your last message: let it say what you found or did, with the paths of ' +
  'the files that matter, and what is still open.';

const LOOKS_ONLY = ['Agent', 'Edit', 'NotebookEdit', 'Write'];

/** Those that every conversation has, by the names that models know. */
export const DEFAULT_AGENTS: readonly KnownAgent[] = [
  {
    name: GENERAL_PURPOSE,
    description: 'Works on any task of several steps by itself: it searches, reads, changes and runs things.',
    prompt: `You work on one task that another agent has handed to you. Do it completely, and nothing else. ${REPORT}`,
    source: 'built-in',
  },
  {
    name: 'Explore',
    description: 'Finds files, names and places in a project, and reads what it finds. It changes nothing.',
    prompt: `You look for something in the files of a project for another agent. Change nothing. Search broadly first, then read what matters. ${REPORT}`,
    disallowedTools: LOOKS_ONLY,
    model: 'inherit',
    source: 'built-in',
  },
  {
    name: 'Plan',
    description: 'Reads a project and plans a change in it, step by step. It changes nothing.',
    prompt: `You plan a change in a project for another agent. Change nothing. Read what the change touches, weigh the ways to make it, and name the files and steps of the best one. ${REPORT}`,
    disallowedTools: LOOKS_ONLY,
    model: 'inherit',
    source: 'built-in',
  },
];
