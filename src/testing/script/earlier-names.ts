// Names from the time when the scripted model and the scripted Messages API had a language each.

import { ScriptError, UnconsumedStepsError, UnexpectedRequestError } from './errors.js';
import type { PlainStep } from './plain-step.js';
import type { Script } from './reader.js';

/** @deprecated Use {@link Script}. */
export type ModelScript = Script;

/** @deprecated Use {@link PlainStep}. */
export type ModelStep = PlainStep;

/** @deprecated Use {@link ScriptError}. */
export const ScriptedApiError = ScriptError;
export type ScriptedApiError = ScriptError;

/** @deprecated Use {@link UnconsumedStepsError}. */
export const UnconsumedModelStepsError = UnconsumedStepsError;
export type UnconsumedModelStepsError = UnconsumedStepsError;

/** @deprecated Use {@link UnexpectedRequestError}. */
export const UnexpectedModelCallError = UnexpectedRequestError;
export type UnexpectedModelCallError = UnexpectedRequestError;
