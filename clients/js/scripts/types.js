// Writes src/types.ts from ../openapi.json; with --check it fails when the file is out of date.

import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const document = new URL("../../openapi.json", import.meta.url);
const file = new URL("../src/types.ts", import.meta.url);

// A request may leave out what has a default.
const types = await openapiTS(document, { defaultNonNullable: false });
const text = `// Written by "npm run types" from ../openapi.json. Do not edit.\n\n${astToString(types)}`;
if (!process.argv.includes("--check")) await writeFile(file, text);
else if ((await readFile(file, "utf8")) !== text) throw new Error("src/types.ts is out of date: npm run types");
