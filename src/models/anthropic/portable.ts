// `tenon/model/anthropic` where there is no Node: the same code, built together with the portable runtime, whose classes it shares.

export { type AnthropicOptions, anthropic } from './anthropic.js';
