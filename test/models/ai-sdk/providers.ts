/** The real provider packages, in every line of the AI SDK's specification, with their addresses on this machine. */

import type { AiSdkLanguageModel } from '../../../src/models/ai-sdk/ai-sdk.js';
import { type FixtureResponse, LLMock } from '../../providers/node_modules/@copilotkit/aimock/dist/index.js';

export type Version = 'v2' | 'v3' | 'v4';

export interface ProviderCell {
  readonly provider: string;
  readonly version: Version;
  /** `baseURL` is that of a server that answers like the vendor's API. */
  model(baseURL: string): Promise<AiSdkLanguageModel>;
}

type Factory = (settings: object) => ((model: string) => AiSdkLanguageModel) & {
  chat(model: string): AiSdkLanguageModel;
};

const VERSIONS: readonly Version[] = ['v2', 'v3', 'v4'];

/** The packages are installed under names of their own, because several lines of each are needed. */
async function factory(name: string, version: Version, creator: string): Promise<Factory> {
  const alias = `${name}-${version}`;
  // With zod 4 this one cannot read the start of a call as Bedrock sends it.
  const folder = alias === 'bedrock-v2' ? 'zod-3/node_modules' : 'node_modules';
  const file = `../../providers/${folder}/${alias}/dist/index.${version === 'v4' ? 'js' : 'mjs'}`;
  const module = await import(new URL(file, import.meta.url).href);
  return module[creator];
}

const KINDS: Readonly<Record<string, (url: string, version: Version) => Promise<AiSdkLanguageModel>>> = {
  'openai chat': async (url, version) =>
    (await factory('openai', version, 'createOpenAI'))({ apiKey: 'test', baseURL: `${url}/v1` }).chat(
      'gpt-5',
    ),
  'openai responses': async (url, version) =>
    (await factory('openai', version, 'createOpenAI'))({ apiKey: 'test', baseURL: `${url}/v1` })('gpt-5'),
  'openai-compatible': async (url, version) =>
    (await factory('compatible', version, 'createOpenAICompatible'))({
      name: 'local',
      apiKey: 'test',
      baseURL: `${url}/v1`,
      includeUsage: true,
    })('local-model'),
  anthropic: async (url, version) =>
    (await factory('anthropic', version, 'createAnthropic'))({ apiKey: 'test', baseURL: `${url}/v1` })(
      'claude-opus-5-5',
    ),
  google: async (url, version) =>
    (await factory('google', version, version === 'v4' ? 'createGoogle' : 'createGoogleGenerativeAI'))({
      apiKey: 'test',
      baseURL: `${url}/v1beta`,
    })('gemini-3-pro'),
  'amazon-bedrock': async (url, version) =>
    (await factory('bedrock', version, 'createAmazonBedrock'))({
      region: 'us-east-1',
      apiKey: 'test',
      baseURL: url,
    })('anthropic.claude-opus-5-5-v1:0'),
};

export const CELLS: readonly ProviderCell[] = Object.entries(KINDS).flatMap(([provider, make]) =>
  VERSIONS.map((version) => ({ provider, version, model: (url: string) => make(url, version) })),
);

export interface VendorServer extends AsyncDisposable {
  readonly url: string;
  /** In the form of chat completions, whatever the vendor. */
  readonly requests: readonly { path: string; headers: Record<string, string>; body: unknown }[];
}

/** A server that answers each request with the next response, in the form of the vendor whose path is asked for. */
export async function vendorServer(responses: readonly object[]): Promise<VendorServer> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1' });
  let next = 0;
  mock.addFixture({
    match: { predicate: () => true },
    response: () => {
      const response = responses[next];
      next += 1;
      return (response ?? { error: { message: 'The script has ended.' }, status: 500 }) as FixtureResponse;
    },
  });
  await mock.start();
  return {
    url: mock.url,
    get requests() {
      return mock.getRequests().map(({ path, headers, body }) => ({ path, headers, body }));
    },
    [Symbol.asyncDispose]: () => mock.stop(),
  };
}
