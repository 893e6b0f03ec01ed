import { normalise } from '../../options/normalise.js';
import type { Options } from '../../options/options.js';
import type { GivenOptions } from '../../options/row.js';
import { warningsTo } from './warnings.js';

/**
 * The checked options of a call, without those that were not given. Mistakes that are tolerable cause
 * warnings.
 */
export function givenOptions(options: Options, caller: string): GivenOptions {
  const warn = warningsTo(typeof options === 'object' && options !== null ? options : {}, 'TENON_OPTION');
  return normalise(options, warn, caller);
}
