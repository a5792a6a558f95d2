// Loaded at each start of the program, so it imports nothing.

export const tokenHelp = `Usage: crewdeck token add <name> [--crew NAME]... [--user] [--config FILE]
       crewdeck token list [--config FILE] [--database URL | --data DIR]
       crewdeck token revoke <name> [--config FILE]

Edits the tokens in crewdeck.server.jsonc, which keeps their hashes only. A running server notices it within seconds.

  --crew NAME    a crew that the token may use; can be repeated (all crews)
  --user         a user's token: it sees only executions that tokens of this name started. Without it, an organization's
                 token sees all executions of its crews
  --config FILE  the file (crewdeck.server.jsonc, or CREWDECK_CONFIG)
  --database URL the server's Postgres, which knows when each token was last used; by default CREWDECK_DATABASE
  --data DIR     without a Postgres, the server's data folder, which knows it; by default the folder that a server with this
                 file uses`;
