import type { InboundRequest } from '../../protocol/control-channel.js';
import type { ElicitationControlRequest, UserDialogControlRequest } from '../../protocol/control-requests.js';
import type {
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
  OnUserDialog,
  UserDialogResult,
} from '../../protocol/host-callbacks.js';

/** Answers `elicitation`: an MCP server asks the person something. Nobody to ask means no. */
export async function answerElicitation(
  onElicitation: OnElicitation | undefined,
  request: InboundRequest,
): Promise<ElicitationResult> {
  if (onElicitation === undefined) return { action: 'decline' };
  const fields = request.fields as unknown as ElicitationControlRequest;
  const question: ElicitationRequest = { serverName: fields.mcp_server_name, message: fields.message };
  if (fields.mode !== undefined) question.mode = fields.mode;
  if (fields.url !== undefined) question.url = fields.url;
  if (fields.elicitation_id !== undefined) question.elicitationId = fields.elicitation_id;
  if (fields.requested_schema !== undefined) question.requestedSchema = fields.requested_schema;
  if (fields.title !== undefined) question.title = fields.title;
  if (fields.display_name !== undefined) question.displayName = fields.display_name;
  if (fields.description !== undefined) question.description = fields.description;
  const { signal, requestId } = request;
  return (await onElicitation(question, { signal, requestId })) ?? { action: 'decline' };
}

/** Answers `request_user_dialog`. Without a callback the dialog counts as dismissed: it must not wait for ever. */
export async function answerDialog(
  onUserDialog: OnUserDialog | undefined,
  request: InboundRequest,
): Promise<UserDialogResult> {
  if (onUserDialog === undefined) return { behavior: 'cancelled' };
  const fields = request.fields as unknown as UserDialogControlRequest;
  const { signal, requestId } = request;
  const dialog = {
    dialogKind: fields.dialog_kind,
    payload: fields.payload,
    ...(fields.tool_use_id === undefined ? {} : { toolUseID: fields.tool_use_id }),
  };
  return (await onUserDialog(dialog, { signal, requestId })) ?? { behavior: 'cancelled' };
}
