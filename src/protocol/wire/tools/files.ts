// Files and what is in them. In inputs, paths are absolute.

export interface FileReadInput {
  file_path: string;
  /** The first line, from 1. */
  offset?: number;
  limit?: number;
  /** Of a PDF: `3`, `1-5`. */
  pages?: string;
  allow_large?: boolean;
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export type FileReadOutput =
  | {
      type: 'text';
      file: {
        filePath: string;
        content: string;
        numLines: number;
        startLine: number;
        totalLines: number;
        truncatedByTokenCap?: boolean;
      };
      artifactRead?: { slug: string; ver: string };
    }
  | {
      type: 'image';
      file: {
        base64: string;
        type: ImageType;
        /** In bytes. */
        originalSize: number;
        /** In pixels: as in the file, and as the model sees it. */
        dimensions?: {
          originalWidth?: number;
          originalHeight?: number;
          displayWidth?: number;
          displayHeight?: number;
        };
      };
    }
  | { type: 'notebook'; file: { filePath: string; cells: unknown[] } }
  | { type: 'pdf'; file: { filePath: string; base64: string; originalSize: number } }
  // Pages of a PDF, as images in a folder.
  | {
      type: 'parts';
      file: { filePath: string; originalSize: number; count: number; outputDir: string };
      firstPage?: number;
      pages?: { base64: string; mediaType: ImageType; error?: string }[];
    };

export interface FileWriteInput {
  file_path: string;
  content: string;
}

export interface FileWriteOutput {
  type: 'create' | 'update';
  filePath: string;
  content: string;
  structuredPatch: Hunk[];
  /** `null` if there was none. */
  originalFile: string | null;
  gitDiff?: GitDiff;
  userModified?: boolean;
  staged?: boolean;
}

export interface FileEditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

export interface FileEditOutput {
  filePath: string;
  oldString: string;
  newString: string;
  originalFile: string | null;
  structuredPatch: Hunk[];
  userModified: boolean;
  replaceAll: boolean;
  gitDiff?: GitDiff;
  staged?: boolean;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

interface GitDiff {
  filename: string;
  status: 'modified' | 'added';
  additions: number;
  deletions: number;
  changes: number;
  patch: string;
  /** Owner and name. */
  repository?: string | null;
}

export interface NotebookEditInput {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: 'code' | 'markdown';
  edit_mode?: 'replace' | 'insert' | 'delete';
}

export interface NotebookEditOutput {
  new_source: string;
  old_source?: string;
  cell_id?: string;
  cell_type: 'code' | 'markdown';
  language: string;
  edit_mode: string;
  error?: string;
  notebook_path: string;
  original_file: string;
  updated_file: string;
}

export interface GlobInput {
  pattern: string;
  path?: string;
}

export interface GlobOutput {
  durationMs: number;
  numFiles: number;
  filenames: string[];
  truncated: boolean;
  totalMatches?: number;
  countIsComplete?: boolean;
  timedOut?: boolean;
}

type GrepMode = 'content' | 'files_with_matches' | 'count';

/** The fields with a dash are the flags of `rg`. */
export interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  output_mode?: GrepMode;
  '-B'?: number;
  '-A'?: number;
  '-C'?: number;
  context?: number;
  '-n'?: boolean;
  '-i'?: boolean;
  '-o'?: boolean;
  type?: string;
  head_limit?: number;
  offset?: number;
  multiline?: boolean;
}

export interface GrepOutput {
  mode?: GrepMode;
  numFiles: number;
  filenames: string[];
  content?: string;
  numLines?: number;
  numMatches?: number;
  totalFiles?: number;
  totalLines?: number;
  appliedLimit?: number;
  appliedOffset?: number;
  timedOut?: boolean;
}
