// `tenon/protocol`: the wire, for programs that bring their own transport or observe frames.

export { ControlError, ControlTimeoutError, TenonError, type TenonErrorCode } from './base/errors.js';
export {
  ControlChannel,
  type ControlChannelOptions,
  ControlFault,
  type InboundRequest,
  type RequestOptions,
  type Serve,
  unsupportedRequest,
} from './channel/control-channel.js';
export { memoryTransportPair } from './transport/memory-transport.js';
export { type LineReceiver, LineSplitter } from './transport/pipes.js';
export {
  type FrameProcess,
  ProcessTransport,
  type ProcessTransportOptions,
  type SpawnSpecification,
  spawnTransport,
} from './transport/process/process-transport.js';
export type { DroppedFrame, Transport, TransportEnd, TransportReceiver } from './transport/transport.js';
export { type TransportOverrides, wrapReceiver, wrapTransport } from './transport/wrap-transport.js';
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
} from './wire/control-requests.js';
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
} from './wire/frames.js';
