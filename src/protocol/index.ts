// `tenon/protocol`: the wire, for people who bring their own transport or watch the frames.

export {
  ControlChannel,
  type ControlChannelOptions,
  ControlFault,
  type InboundRequest,
  type RequestOptions,
  type Serve,
  unsupportedRequest,
} from './control-channel.js';
export {
  type AgentRequests,
  type AgentSubtype,
  CONTROL_SUBTYPES,
  type ControlSubtype,
  type HostRequests,
  type HostSubtype,
  type InitializeRequest,
  type SDKControlCancelRequest,
  type SDKControlRequest,
  type SDKControlResponse,
} from './control-requests.js';
export { ControlError, ControlTimeoutError, TenonError, type TenonErrorCode } from './errors.js';
export {
  type ControlCancelFrame,
  type ControlFailure,
  type ControlFrame,
  type ControlRequestFrame,
  type ControlResponseFrame,
  type ControlSuccess,
  type Frame,
  isControlCancel,
  isControlFrame,
  isControlRequest,
  isControlResponse,
  isFrame,
  type MessageFrame,
} from './frames.js';
export { type LineReceiver, LineSplitter } from './line-splitter.js';
export { memoryTransportPair } from './memory-transport.js';
export {
  type FrameProcess,
  ProcessTransport,
  type ProcessTransportOptions,
  type SpawnSpecification,
  spawnTransport,
} from './process/process-transport.js';
export type { Transport, TransportEnd, TransportReceiver } from './transport.js';
