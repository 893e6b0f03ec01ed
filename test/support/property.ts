/**
 * fast-check with the same inputs in every run, so that a red test is red again. `TENON_PROPERTY_SEED=<number>` tries others,
 * `TENON_PROPERTY_SEED=random` different ones each time; a failure names its seed either way.
 */
import fc from 'fast-check';

const given = process.env.TENON_PROPERTY_SEED ?? '20261115';
if (given !== 'random') fc.configureGlobal({ seed: Number(given) });

export default fc;
