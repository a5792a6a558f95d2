import * as l10n from "@vscode/l10n";
import type { ToBatch } from "../../views/batch/messages.ts";
import type { BatchView, CellView, ColumnView } from "../../views/batch/model.ts";
import { clock, Elapsed } from "../clock.tsx";
import { Button, Icon, LinkButton } from "../controls.tsx";
import { draw, host } from "../host.ts";

function Batch({ crew, columns, rows, hasOthers }: BatchView) {
  return (
    <>
      <header>
        <h1>{columns.map(({ name }) => name).join(" ↔ ")}</h1>
        <p class="line">
          <span>{crew}</span>
          <span>{l10n.t("{0} rows", rows.length)}</span>
          {hasOthers && (
            <LinkButton label={l10n.t("Compare With…")} message={{ type: "compare" }} />
          )}
          <LinkButton label={l10n.t("Export as CSV")} message={{ type: "export" }} />
        </p>
        {columns.map((column) => (
          <Column key={column.id} column={column} isNamed={columns.length > 1} />
        ))}
      </header>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t("Row")}</th>
              {columns.map(({ id, name }) => (
                <th key={id} scope="col">
                  {columns.length > 1 ? name : l10n.t("Execution")}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ label, cells }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {cells.map((cell, at) => (
                  <td key={at}>{cell ? <Cell cell={cell} row={label} /> : "–"}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Column({ column, isNamed }: { readonly column: ColumnView; readonly isNamed: boolean }) {
  const { id, name, sum, left, isSending, problem } = column;
  return (
    <div class="column">
      <p role="status">
        {isNamed && <strong>{name}</strong>}
        <span>{sum}</span>
        {left > 0 && <span>{l10n.t("Not started: {0}", left)}</span>}
      </p>
      {left > 0 && isSending && (
        <Button label={l10n.t("Stop")} onClick={() => host.post({ type: "stop", id })} />
      )}
      {left > 0 && !isSending && (
        <Button label={l10n.t("Continue")} onClick={() => host.post({ type: "goOn", id })} />
      )}
      {problem !== undefined && (
        <div class="notice error" role="alert">
          <Icon name="error" />
          <div>{problem}</div>
        </div>
      )}
    </div>
  );
}

function Cell({ cell, row }: { readonly cell: CellView; readonly row: string }) {
  const { localId, state, label, elapsed, tokens, cost, output, grade, failures } = cell;
  return (
    <>
      <p class="line">
        <Icon name={state} />
        <LinkButton label={label} name={`${label}: ${row}`} message={{ type: "open", localId }} />
        {elapsed !== undefined && <Elapsed elapsed={elapsed} />}
        {tokens !== "" && <span>{l10n.t("{0} tokens", tokens)}</span>}
        {cost !== "" && <span>{cost}</span>}
        {grade !== "" && <span>{grade}</span>}
      </p>
      {failures.map((failure) => (
        <p key={failure}>{failure}</p>
      ))}
      {output !== "" && <p class="output">{output}</p>}
    </>
  );
}

host.listen<ToBatch>({
  show({ view, ids, now }) {
    clock.set(now);
    host.keep({ batches: ids });
    draw(<Batch {...view} />);
  },
});
