/** What a search leaves out, and where it cuts, whoever does it. */

export const VERSION_CONTROL = ['.git', '.svn', '.hg', '.bzr', '.jj', '.sl'] as const;

/** Longer lines are not shown: they are generated, and would fill the model's window. */
export const MAX_LINE_CHARS = 500;
