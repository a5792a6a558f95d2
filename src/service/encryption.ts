import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../base/errors.ts";
import { text } from "../base/sqlite.ts";
import { change, insert, row, rows, script, type Work } from "./database/database.ts";
import { versionTable } from "./database/schema.ts";
import { Refusal } from "./errors.ts";

const algorithm = "aes-256-gcm";
const bytes = { key: 32, iv: 12, tag: 16 };

export type Cipher = ReturnType<typeof cipherWith>;

/** Encrypts what only the service may read: where callbacks go, and with which credentials. */
export function cipherWith(key: Buffer) {
  return {
    encrypt(plain: string): string {
      const iv = randomBytes(bytes.iv);
      const cipher = createCipheriv(algorithm, key, iv);
      const encrypted = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString("base64");
    },

    decrypt(encrypted: string): string {
      const all = Buffer.from(encrypted, "base64");
      const [iv, content] = [all.subarray(0, bytes.iv), all.subarray(bytes.iv + bytes.tag)];
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: bytes.tag });
      decipher.setAuthTag(all.subarray(bytes.iv, bytes.iv + bytes.tag));
      return Buffer.concat([decipher.update(content), decipher.final()]).toString("utf8");
    },
  };
}

const variable = "CREWDECK_SECRET_KEY";

export type KeyPlace = ReturnType<typeof keyPlace>;

/** Where a service has its key: in the environment, else in a file of its data folder. */
export function keyPlace(folder: string, env: Readonly<Record<string, string | undefined>>) {
  const file = join(folder, "secret.key");
  const given = env[variable];
  const name = given ? variable : file;
  return {
    name,

    read(): Buffer | undefined {
      const stored = given || (existsSync(file) ? readFileSync(file, "utf8") : undefined);
      const key = stored === undefined ? undefined : Buffer.from(stored, "base64");
      if (key === undefined || key.length === bytes.key) return key;
      throw new Refusal(
        "data",
        `${name} is no key. Expected ${bytes.key} random bytes in Base64, such as "openssl rand -base64 ${bytes.key}" prints.`,
      );
    },

    /** Makes the key, unless another process has made it meanwhile. */
    make(): Buffer {
      const key = randomBytes(bytes.key);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      try {
        writeFileSync(file, `${key.toString("base64")}\n`, { mode: 0o600, flag: "wx" });
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
      return Buffer.from(readFileSync(file, "utf8"), "base64");
    },
  };
}

/**
 * Part of one change, in one process at a time. A database that has no key gets this one, or a new one; what it has is
 * encrypted then.
 * @throws {Refusal} for another key than the database's
 */
export function* openCipher(place: KeyPlace): Work<Cipher> {
  yield* row(`SELECT version FROM ${versionTable} ORDER BY version DESC LIMIT 1 FOR UPDATE`);
  const stored = yield* row("SELECT value FROM secret_check");
  const key = place.read() ?? (stored ? undefined : place.make());
  const cipher = key && cipherWith(key);
  if (cipher && !stored) {
    yield* encryptStored(cipher);
    yield* insert("secret_check", { value: cipher.encrypt("crewdeck") });
  }
  if (!cipher || (stored && !isOf(cipher, text(stored, "value"))))
    throw new Refusal(
      "data",
      `The database's secrets are encrypted with ${key ? `another key than that of ${place.name}` : `a key that isn't in ${place.name}`}. Put the key back there, or set ${variable} to it. If it is lost, docs/operations.md says how to go on.`,
    );
  return cipher;
}

function isOf(cipher: Cipher, encrypted: string): boolean {
  try {
    cipher.decrypt(encrypted);
    return true;
  } catch {
    return false;
  }
}

/** Encrypts what an earlier version stored in plain text. What was encrypted with a key that is lost is given up. */
function* encryptStored(cipher: Cipher): Work<void> {
  yield* script(`
    UPDATE executions SET callbacks = '{}' WHERE callbacks NOT LIKE '{%';
    UPDATE attempts SET callbacks = '{}' WHERE callbacks NOT LIKE '{%';
    UPDATE deliveries SET state = 'given up', url = '', body = '', "authorization" = NULL, problem = 'The key of its address is lost.'
    WHERE state = 'pending' AND url NOT LIKE '%:%'`);
  for (const [table, id, column] of secretColumns) {
    const plain = yield* rows(
      `SELECT DISTINCT ${id} AS id, ${column} AS value FROM ${table} WHERE ${column} NOT IN ('', '{}')`,
    );
    for (const one of plain)
      yield* change(
        `UPDATE ${table} SET ${column} = ? WHERE ${id} = ? AND ${column} = ?`,
        cipher.encrypt(text(one, "value")),
        text(one, "id"),
        text(one, "value"),
      );
  }
}

const secretColumns = [
  ["executions", "id", "callbacks"],
  ["attempts", "execution_id", "callbacks"],
  ["deliveries", "execution_id", "url"],
  ["deliveries", "execution_id", '"authorization"'],
] as const;
