/** The bundle with Postgres has this file's name, by which the `.vsix` leaves it out. */
export { openPostgresDatabase } from "./database/postgres.ts";
