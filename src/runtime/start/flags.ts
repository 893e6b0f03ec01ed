// The plan, under its names in `tenon/runtime`.

export { FlagError, parseArguments as parseFlags } from '../../options/flags.js';
export type { AgentPlan as RuntimeFlags } from '../../options/plan.js';
