// `tenon/model/ai-sdk` where there is no Node: the same code, built together with the portable runtime, whose classes it shares.

export { type AiSdkCallSettings, type AiSdkLanguageModel, type AiSdkOptions, aiSdk } from './ai-sdk.js';
