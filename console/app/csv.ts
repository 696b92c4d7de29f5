// Files for spreadsheets.

type Cell = string | number | null | undefined;

function quote(value: Cell) {
  const plain = String(value ?? "").replace(/^[=+\-@\t\r]/, "'$&"); // a spreadsheet must not read a name as a formula
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

/** The lines of a table as a spreadsheet reads them, with the names of its columns first. */
export const csv = <Name extends string>(names: readonly Name[], rows: Record<Name, Cell>[]) =>
  [names.join(","), ...rows.map((row) => names.map((name) => quote(row[name])).join(","))].join("\r\n") + "\r\n";

/** Has the browser save a table. */
export function saveCsv<Name extends string>(file: string, names: readonly Name[], rows: Record<Name, Cell>[]) {
  const url = URL.createObjectURL(new Blob([csv(names, rows)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
