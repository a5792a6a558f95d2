import { openSqlite, integer, text, transaction } from "../base/sqlite.ts";

/** How long callbacks wait for a client that is away (ms): a week. */
export const keepMs = 7 * 24 * 60 * 60 * 1000;
/** How long a channel is kept that nobody listens to (ms): 90 days. */
const keepChannelMs = 90 * 24 * 60 * 60 * 1000;

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  CREATE TABLE IF NOT EXISTS channels (
    id TEXT PRIMARY KEY, secret_hash TEXT NOT NULL, public_key TEXT NOT NULL, waiting_bytes INTEGER NOT NULL DEFAULT 0,
    listened_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL REFERENCES channels ON DELETE CASCADE,
    sealed TEXT NOT NULL, arrived_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_of_channel ON messages (channel, id);
  CREATE INDEX IF NOT EXISTS messages_by_age ON messages (arrived_at);
  CREATE TRIGGER IF NOT EXISTS message_added AFTER INSERT ON messages BEGIN
    UPDATE channels SET waiting_bytes = waiting_bytes + length(NEW.sealed) WHERE id = NEW.channel;
  END;
  CREATE TRIGGER IF NOT EXISTS message_deleted AFTER DELETE ON messages BEGIN
    UPDATE channels SET waiting_bytes = waiting_bytes - length(OLD.sealed) WHERE id = OLD.channel;
  END;
`;

export type RelayStore = ReturnType<typeof openRelayStore>;

interface Arriving {
  readonly channel: string;
  readonly sealed: string;
  readonly now: number;
  readonly resolve: (result: "stored" | "full" | "gone") => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Channels, and callbacks that are sealed already. A change is on disk when the method returns or
 * its promise resolves.
 *
 * @param maxWaiting how many bytes of a channel may wait
 */
export function openRelayStore(file: string, maxWaiting: number) {
  const database = openSqlite(file);
  database.exec(schema);
  const addChannel = database.prepare(
    "INSERT INTO channels (id, secret_hash, public_key, listened_at) VALUES (?, ?, ?, ?)",
  );
  const countChannels = database.prepare("SELECT count(*) AS count FROM channels");
  const findChannel = database.prepare("SELECT * FROM channels WHERE id = ?");
  // IDs are above those of a database that was replaced by an older copy: a client asks for what comes after its last ID.
  const addMessage = database.prepare(
    `INSERT INTO messages VALUES (
       max(?, 1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'messages'), 0)), ?, ?, ?)`,
  );
  const messagesAfter = database.prepare(
    "SELECT id, sealed FROM messages WHERE channel = ? AND id > ? ORDER BY id LIMIT 10",
  );
  const deleteMessages = database.prepare("DELETE FROM messages WHERE channel = ? AND id <= ?");
  const touch = database.prepare("UPDATE channels SET listened_at = ? WHERE id = ?");
  const expireMessages = database.prepare("DELETE FROM messages WHERE arrived_at < ?");
  const expireChannels = database.prepare("DELETE FROM channels WHERE listened_at < ?");
  let arriving: Arriving[] = [];

  function addNow({ channel, sealed, now }: Arriving) {
    const row = findChannel.get(channel);
    if (row === undefined) return "gone";
    if (integer(row, "waiting_bytes") + sealed.length > maxWaiting) return "full";
    addMessage.run(now * 1000, channel, sealed, now);
    return "stored";
  }

  /** One transaction for all that came meanwhile: syncing to disk takes most of the time. */
  function addAll(): void {
    const all = arriving;
    arriving = [];
    try {
      const results = transaction(database, () => all.map((one) => addNow(one)));
      for (const [index, { resolve }] of all.entries()) resolve(results[index] ?? "gone");
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }

  return {
    /** `secretHash`: SHA-256 of the secret to listen with; `publicKey`: a JWK. */
    addChannel: (id: string, secretHash: string, publicKey: string, now: number) =>
      addChannel.run(id, secretHash, publicKey, now),

    countChannels: (): number => integer(countChannels.get() ?? {}, "count"),

    channel: (id: string) => {
      const row = findChannel.get(id);
      return row && { secretHash: text(row, "secret_hash"), publicKey: text(row, "public_key") };
    },

    add: (channel: string, sealed: string, now: number) =>
      new Promise<"stored" | "full" | "gone">((resolve, reject) => {
        if (arriving.length === 0) setImmediate(addAll);
        arriving.push({ channel, sealed, now, resolve, reject });
      }),

    /** The first few that wait and came after this one, in order of arrival. */
    after: (channel: string, id: number) =>
      messagesAfter
        .all(channel, id)
        .map((row) => ({ id: integer(row, "id"), sealed: text(row, "sealed") })),

    acknowledge: (channel: string, id: number) => deleteMessages.run(channel, id),

    /** Somebody listens to the channel, perhaps only for a moment. */
    listened: (channel: string, now: number) => touch.run(now, channel),

    /** Deletes what has waited for too long. Channels that are listened to stay. */
    expire: (now: number, listened: readonly string[]): void =>
      transaction(database, () => {
        for (const id of listened) touch.run(now, id);
        expireMessages.run(now - keepMs);
        expireChannels.run(now - keepChannelMs);
      }),

    close: () => database.close(),
  };
}
