// Pages that the agent publishes, and what becomes of them.

export interface ArtifactInput {
  action?:
    | 'publish'
    | 'list'
    | 'read'
    | 'list_types'
    | 'watch'
    | 'unwatch'
    | 'status'
    | 'upload_asset'
    | 'list_assets'
    | 'read_asset'
    | 'delete_asset'
    | 'pin'
    | 'unpin';
  file_path?: string;
  favicon?: string;
  icon?: string;
  limit?: number;
  page_token?: string;
  scope?: 'mine' | 'shared' | 'all';
  title?: string;
  description?: string;
  label?: string;
  url?: string;
  prompt?: string;
  force?: boolean;
  pin?: boolean;
  out_dir?: string;
  file_paths?: [string, ...string[]];
  asset_id?: string;
  after?: string;
  capabilities?: { [key: string]: unknown };
  /** `latest`, or the name of one. */
  contract?: string;
}

/** One shape for each action. */
export type ArtifactOutput =
  | Published
  | Listed
  | Read
  | { watch: Watch }
  | { unwatch: { url: string; was_watching: boolean } }
  | { watches: (LiveWatch | DurableWatch | StoppedWatch)[]; filter_url?: string; arms?: Arm[] }
  | { written?: Written; owned?: boolean; asset_upload: Asset & { file_name: string } }
  | { written?: Written; owned?: boolean; asset_uploads: { url: string; results: [Upload, ...Upload[]] } }
  | { asset_list: AssetList }
  | { asset_read: AssetRead }
  | { written?: Written; owned?: boolean; asset_delete: { id: string; deleted: boolean } }
  | { pin: { action: 'pin' | 'unpin'; url: string; pinned: boolean; title?: string } };

interface Written {
  url: string;
}

interface Published {
  url: string;
  path: string;
  artifact_id?: string;
  title?: string;
  version?: string;
  capabilities?: unknown;
  stored?: {
    contract: string;
    preferredContract?: string;
    capabilities?: { [key: string]: unknown };
    carried?: boolean;
    read?: string;
  };
  warnings?: string[];
  publishesRemaining?: number;
  publishesResetAt?: number;
  contract?: string;
  updated?: boolean;
  owned?: boolean;
  icon?: string;
  faviconSent?: true;
  iconDropped?: true;
  audience?: string;
  seq?: number;
  unchanged?: true;
  liveSubscription?: string;
  pinned?: boolean;
}

interface Listed {
  artifacts: {
    title: string;
    url: string;
    favicon?: string;
    updatedAt?: string;
    rel?: 'mine' | 'shared';
    external?: true;
    role?: 'editor' | 'commenter' | 'reader' | 'viewer';
    outsidersMayHaveWritten?: true;
    pinned?: boolean;
  }[];
  truncated?: boolean;
  total?: number;
  total_at_least?: true;
  next_page_token?: string;
  pins_enabled?: boolean;
  scope?: 'shared' | 'all';
  external_listed?: true;
}

interface Read {
  read: {
    url: string;
    bytes: number;
    code: number;
    codeText: string;
    result: string;
    durationMs: number;
    title?: string;
  };
  owned?: boolean;
  artifactRead?: { slug: string; ver?: string; seeded?: false };
}

interface Watch {
  url: string;
  watching: boolean;
  outcome: string;
  reason?: string;
  durable_skip_reason?: string;
  task_id?: string;
  since?: number;
  token_expires_at?: number;
  rail?: string;
  trigger_id?: string;
  durable_since?: string;
  status?: number;
  detail?: string;
  note?: string;
  events?: string[];
}

interface LiveWatch {
  url: string;
  task_id: string;
  since: number;
  explicit: boolean;
  connected: boolean;
  connecting?: boolean;
  token_expires_at: number;
  armed_via?: string;
}

interface DurableWatch {
  url: string;
  rail: 'durable_wake';
  trigger_id: string;
  since: string;
  events?: string[];
  restored?: boolean;
}

interface StoppedWatch {
  url: string;
  rail: 'live_stopped';
  since?: number;
  explicit?: boolean;
  armed_via?: string;
  stop_kind: string;
}

interface Arm {
  url: string;
  rail?: string;
  state: string;
  reconnect?: boolean;
  failures?: number;
  max_failures?: number;
  next_in_s?: number;
  last_failure?: string;
  reason?: string;
  detail?: string;
  server_message?: string;
  at?: number;
}

interface Asset {
  id: string;
  url: string;
  size_bytes: number;
  content_type: string;
  sha256?: string;
}

type Upload =
  | (Asset & { file_path: string; status: 'uploaded'; file_name: string })
  | {
      file_path: string;
      status: 'failed' | 'not_attempted';
      reason: string;
      message: string;
      may_be_stored?: true;
    };

interface AssetList {
  url: string;
  assets: (Asset & { created_at: string })[];
  usage: { files: number; bytes: number; max_files: number; max_bytes: number };
  next?: string;
  cowritten?: true;
  outside_writer?: true;
}

interface AssetRead {
  id: string;
  path: string;
  size_bytes: number;
  content_type: string;
  sha256: string;
  cowritten?: true;
  outside_writer?: true;
  public_read?: true;
  foreign?: true;
}
