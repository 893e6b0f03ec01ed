/** Types of the official SDK whose shape differs here, and why. The test fails for one too many and one too few. */
export type Direction = 'from' | 'to' | 'any' | 'lacks' | 'adds';

interface DifferentShape {
  name: string;
  /** `from`: a value of the official type does not fit here; `to`: one of ours does not fit there. */
  directions: readonly Direction[];
  reason: string;
}

export const DIFFERENT_SHAPES: readonly DifferentShape[] = [
  {
    name: 'AnyZodRawShape',
    directions: ['to'],
    reason: 'A shape may also have schemas of other Standard Schema libraries, which are no zod types.',
  },
  {
    name: 'McpSdkServerConfigWithInstance',
    directions: ['to'],
    reason: 'The instance may be of either major of the MCP library, or a server of our own.',
  },
  {
    name: 'McpServerConfig',
    directions: ['to'],
    reason: 'It may be an in-process server whose instance is of either major of the MCP library.',
  },
  {
    name: 'Options',
    directions: ['to'],
    reason: 'It has more options, and in-process servers of either major of the MCP library.',
  },
  {
    name: 'Query',
    directions: ['from'],
    reason: 'It has more methods: pid, exited, done, controlRequest and those on MCP servers.',
  },
  {
    name: 'ResolveSettingsOptions',
    directions: ['to'],
    reason: 'Settings are open: keys of newer CLIs need no newer SDK.',
  },
  {
    name: 'ResolvedSettings',
    directions: ['to'],
    reason: 'Settings are open: keys of newer CLIs need no newer SDK.',
  },
  {
    name: 'SDKControlRequest',
    directions: ['to'],
    reason: 'It knows more requests than the official typings name, among them our own.',
  },
  {
    name: 'SDKControlResponse',
    directions: ['to'],
    reason: 'It may carry pending requests, of which it knows more than the official typings name.',
  },
  {
    name: 'Settings',
    directions: ['to'],
    reason: 'Settings are open: keys of newer CLIs need no newer SDK.',
  },
  { name: 'SpareProcess', directions: ['from'], reason: 'It has pid, and close() can be awaited.' },
  {
    name: 'Transport',
    directions: ['from', 'to'],
    reason: 'Its messages are ours, with the additions to messages and control requests.',
  },
  { name: 'WarmQuery', directions: ['from'], reason: 'It has pid and exited, and close() can be awaited.' },
];
