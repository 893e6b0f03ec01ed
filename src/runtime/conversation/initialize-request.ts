import { isDefinition } from '../../options/agent-definitions.js';
import { isRecord, withoutUndefined } from '../../protocol/base/kinds.js';
import { ControlFault } from '../../protocol/channel/control-channel.js';
import { invalidField, optionalText, type Received } from '../../protocol/channel/received-fields.js';
import type { InitializeRequest, SdkMcpServerManifest } from '../../protocol/wire/control-requests.js';
import { isServerConfig } from '../mcp/in-process-source.js';

/** The fields of `initialize` that the runtime reads, checked: an error names the field that is wrong. */
export function initializeRequest(fields: Received<InitializeRequest>): InitializeRequest {
  const { systemPrompt, plugins } = fields;
  if (Array.isArray(plugins) && plugins.length > 0) {
    throw new ControlFault(
      'not_available',
      'Plugins are read at the start: give their folders with --plugin-dir.',
    );
  }
  const read = <Value>(
    name: keyof InitializeRequest,
    isRight: (value: unknown) => value is Value,
    wanted: string,
  ): Value | undefined => {
    const value = fields[name];
    if (value == null) return undefined;
    return isRight(value) ? value : invalidField(fields, name, wanted);
  };
  return withoutUndefined({
    hooks: read('hooks', isHooks, 'matchers by event, each with `hookCallbackIds`'),
    sdkMcpServers: read('sdkMcpServers', isTexts, 'an array of names'),
    sdkMcpServerConfigs: read(
      'sdkMcpServerConfigs',
      isServerConfigs,
      'an object for each server, with a `timeout` and a list of `tools` if any',
    ),
    sdkMcpServerManifests: read('sdkMcpServerManifests', isManifests, 'an object for each server'),
    jsonSchema: read('jsonSchema', isRecord, 'a JSON Schema'),
    // Older clients send a single string.
    systemPrompt:
      typeof systemPrompt === 'string'
        ? [systemPrompt]
        : read('systemPrompt', isTexts, 'an array of strings'),
    appendSystemPrompt: optionalText(fields, 'appendSystemPrompt'),
    skills: read('skills', isTexts, 'an array of names'),
    agents: read('agents', isAgents, 'an object with `description` and `prompt` for each name'),
    forwardSubagentText: read('forwardSubagentText', isTruth, 'true or false'),
    excludeDynamicSections: read('excludeDynamicSections', isTruth, 'true or false'),
  });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTruth(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isAgents(value: unknown): value is NonNullable<InitializeRequest['agents']> {
  return isRecord(value) && Object.values(value).every(isDefinition);
}

function isHooks(value: unknown): value is NonNullable<InitializeRequest['hooks']> {
  if (!isRecord(value)) return false;
  const matchers = Object.values(value).flat();
  return matchers.every(isMatcher);
}

function isMatcher(value: unknown): boolean {
  if (!isRecord(value) || !isTexts(value.hookCallbackIds)) return false;
  const { matcher, timeout } = value;
  return (matcher == null || typeof matcher === 'string') && (timeout == null || typeof timeout === 'number');
}

function isServerConfigs(value: unknown): value is NonNullable<InitializeRequest['sdkMcpServerConfigs']> {
  return isRecord(value) && Object.values(value).every(isServerConfig);
}

function isManifests(value: unknown): value is Record<string, SdkMcpServerManifest> {
  return isRecord(value) && Object.values(value).every(isRecord);
}
