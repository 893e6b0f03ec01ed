import { withoutUndefined } from '../../protocol/base/kinds.js';
import type { InboundRequest } from '../../protocol/channel/control-channel.js';
import {
  optionalText,
  type Received,
  recordField,
  textField,
} from '../../protocol/channel/received-fields.js';
import type {
  ElicitationControlRequest,
  UserDialogControlRequest,
} from '../../protocol/wire/control-requests.js';
import type {
  ElicitationRequest,
  ElicitationResult,
  OnElicitation,
  OnUserDialog,
  UserDialogRequest,
  UserDialogResult,
} from '../../protocol/wire/host-callbacks.js';

/** Answers `elicitation`, a question of an MCP server to the user. Without a callback it is declined. */
export async function answerElicitation(
  onElicitation: OnElicitation | undefined,
  fields: Received<ElicitationControlRequest>,
  { signal, requestId }: InboundRequest,
): Promise<ElicitationResult> {
  if (onElicitation === undefined) return { action: 'decline' };
  const question: ElicitationRequest = {
    serverName: textField(fields, 'mcp_server_name'),
    message: textField(fields, 'message'),
    ...withoutUndefined({
      mode: modeOf(fields.mode),
      url: optionalText(fields, 'url'),
      elicitationId: optionalText(fields, 'elicitation_id'),
      requestedSchema: fields.requested_schema == null ? undefined : recordField(fields, 'requested_schema'),
      title: optionalText(fields, 'title'),
      displayName: optionalText(fields, 'display_name'),
      description: optionalText(fields, 'description'),
    }),
  };
  return (await onElicitation(question, { signal, requestId })) ?? { action: 'decline' };
}

/**
 * Answers `request_user_dialog`. Without a callback the dialog is cancelled, so that it does not wait
 * forever.
 */
export async function answerDialog(
  onUserDialog: OnUserDialog | undefined,
  fields: Received<UserDialogControlRequest>,
  { signal, requestId }: InboundRequest,
): Promise<UserDialogResult> {
  if (onUserDialog === undefined) return { behavior: 'cancelled' };
  const dialog: UserDialogRequest = {
    dialogKind: textField(fields, 'dialog_kind'),
    payload: recordField(fields, 'payload'),
    ...withoutUndefined({ toolUseID: optionalText(fields, 'tool_use_id') }),
  };
  return (await onUserDialog(dialog, { signal, requestId })) ?? { behavior: 'cancelled' };
}

/** An unknown mode is treated as absent, which means a form. */
function modeOf(mode: unknown): ElicitationRequest['mode'] {
  return mode === 'form' || mode === 'url' ? mode : undefined;
}
