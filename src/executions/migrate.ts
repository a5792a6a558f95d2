/** A record of which nothing is known but that it is an object. */
type Raw = Readonly<Record<string, unknown>>;

/** What makes the next version of a record out of one; pure. */
export type MigrationStep = (raw: Raw) => Raw;

/** The version of records that this code writes. */
export const recordVersion = 1;

/** The step at index n makes version n + 1 out of version n. A new version of the records is a new step at the end. */
const steps: readonly MigrationStep[] = [
  // Version 0 is a record from before records had a version; its members are the same.
  (raw) => raw,
];

/**
 * A record as this version writes it, made step by step from whichever older one; a record of this or a newer version, or of one that
 * never was, as it is. Only in memory: the file stays as it is until the record changes.
 */
export function migrate(raw: Raw, chain: readonly MigrationStep[] = steps): Raw {
  const version = versionOf(raw);
  if (version === undefined || version >= chain.length) return raw;
  return chain
    .slice(version)
    .reduce((older, step, index) => ({ ...step(older), version: version + index + 1 }), raw);
}

/** Nothing where the version is none. */
function versionOf({ version = 0 }: Raw): number | undefined {
  return typeof version === "number" && Number.isInteger(version) && version >= 0
    ? version
    : undefined;
}
