// Samples: programs that make the request of a form. They run as they are pasted; the API
// key is read from the environment. Nothing here touches the page.

import { objectOf } from "../json";
import type { Operation } from "./document";

export type Language = "curl" | "python" | "javascript" | "go";
export const languages: Language[] = ["curl", "python", "javascript", "go"];

/** What the reader has filled in: parameters by name, and the body as text. */
export interface Form {
  values: Record<string, string>;
  body: string;
}

/** A form that makes a valid request: the examples of the document, or another body. */
export function exampleForm({ parameters, body }: Operation, example = body?.example): Form {
  const given = parameters
    .filter(({ example }) => example !== undefined)
    .map(({ name, example }) => [name, String(example)]);
  return {
    values: Object.fromEntries(given),
    body: isJSON(body?.kind) && example !== undefined ? JSON.stringify(example, null, 2) : "",
  };
}

export const isJSON = (kind: string | undefined) => Boolean(kind?.includes("json"));

/** The placeholder of a value that is missing: WORKER_ID for workerId. */
function placeholder(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/\W/g, "_")
    .toUpperCase();
}

/** The path with its query. */
export function address(operation: Operation, values: Form["values"]): string {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encode(values[name] || placeholder(name)));
  const query = operation.parameters
    .filter((p) => p.in === "query" && (p.required || values[p.name]))
    .map((p) => `${encode(p.name)}=${encode(values[p.name] || placeholder(p.name))}`);
  return filled + (query.length > 0 ? `?${query.join("&")}` : "");
}

// Unlike encodeURIComponent it leaves no quotes, which a shell would read.
const encode = (text: string) =>
  encodeURIComponent(text).replace(/['()*!]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());

/** The headers that the reader has filled in. */
export function headers(operation: Operation, values: Form["values"]): Record<string, string> {
  return Object.fromEntries(
    operation.parameters.filter((p) => p.in === "header" && values[p.name]).map((p) => [p.name, values[p.name]]),
  );
}

interface Part {
  name: string;
  value: string;
  isFile: boolean;
}

interface Request {
  method: string;
  url: string;
  isPublic: boolean;
  headers: [string, string][];
  text: string; // JSON, or the bytes of a file
  isJSON: boolean;
  parts: Part[]; // of a multipart form
  streams: boolean;
}

/** The program of a request that has only a JSON body. */
export const jsonSample = (language: Language, method: string, url: string, body: unknown): string =>
  writers[language]({
    method,
    url,
    isPublic: false,
    headers: [["Content-Type", "application/json"]],
    text: JSON.stringify(body, null, 2),
    isJSON: true,
    parts: [],
    streams: false,
  });

function request(operation: Operation, origin: string, { values, body }: Form): Request {
  const out: Request = {
    method: operation.method,
    url: origin + address(operation, values),
    isPublic: operation.isPublic,
    headers: Object.entries(headers(operation, values)),
    text: "",
    isJSON: false,
    parts: [],
    streams:
      operation.success?.kind === "text/event-stream" ||
      Boolean(operation.success?.streams && objectOf(parse(body)).stream === true),
  };
  const { kind = "", example, schema } = operation.body ?? {};
  if (isJSON(kind)) {
    out.text = body;
    out.isJSON = body !== "";
    if (body) out.headers.push(["Content-Type", "application/json"]);
  } else if (kind.startsWith("multipart/")) {
    out.parts = Object.entries(objectOf(example)).map(([name, value]) => ({
      name,
      value: String(value),
      isFile: [schema, ...(schema?.allOf ?? [])].some((part) => part?.properties?.[name]?.format === "binary"),
    }));
  } else if (kind) {
    out.text = String(example ?? "");
    out.headers.push(["Content-Type", kind.includes("*") ? "application/octet-stream" : kind]);
  }
  return out;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The program in a language. The origin is the one that the reader's browser has reached. */
export function sample(language: Language, operation: Operation, origin: string, form: Form): string {
  return writers[language](request(operation, origin, form));
}

const writers: Record<Language, (r: Request) => string> = { curl, python, javascript, go };

const fileName = "fox.png";
const fileType = "image/png";
const key = "ATELIER_API_KEY";

function curl(r: Request): string {
  const lines = [`curl ${r.streams ? "-N " : ""}${shell(r.url)}`];
  const hasBody = r.text !== "" || r.parts.length > 0;
  if (r.method !== (hasBody ? "POST" : "GET")) lines.push(`-X ${r.method}`);
  if (!r.isPublic) lines.push(`-H "Authorization: Bearer $${key}"`);
  for (const [name, value] of r.headers) lines.push(`-H ${shell(`${name}: ${value}`)}`);
  if (r.text) lines.push(`--data-raw ${shell(r.text)}`);
  for (const { name, value, isFile } of r.parts) {
    lines.push(
      isFile
        ? `-F ${shell(`${name}=${value};filename=${fileName};type=${fileType}`)}`
        : `--form-string ${shell(`${name}=${value}`)}`,
    );
  }
  return lines.join(" \\\n  ");
}

const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

// A string literal of JSON is one of Python, JavaScript and Go as well.
const literal = (text: string) => JSON.stringify(text);
const indent = (text: string, by: string) => text.replaceAll("\n", "\n" + by);

function python(r: Request): string {
  const json = r.isJSON && parse(r.text) !== undefined;
  const modules = [
    json && "json",
    !r.isPublic && "os",
    "urllib.error",
    "urllib.request",
    r.parts.length > 0 && "uuid",
  ].filter(Boolean);
  const lines = [`import ${modules.join(", ")}`, ""];
  const sent = r.headers.map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  if (!r.isPublic) sent.unshift(`"Authorization": "Bearer " + os.environ["${key}"]`);
  let data = "";
  if (json) data = `json.dumps(${indent(pythonValue(r.text), "    ")}).encode()`;
  else if (r.text) data = `${literal(r.text)}.encode()`;
  if (r.parts.length > 0) {
    const file = r.parts.find(({ isFile }) => isFile)!;
    lines.push(
      "boundary = uuid.uuid4().hex",
      'form = ""',
      "for name, value in {",
      ...r.parts.filter(({ isFile }) => !isFile).map(({ name, value }) => `    ${literal(name)}: ${literal(value)},`),
      "}.items():",
      `    form += f'--{boundary}\\r\\nContent-Disposition: form-data; name="{name}"\\r\\n\\r\\n{value}\\r\\n'`,
      `form += f'--{boundary}\\r\\nContent-Disposition: form-data; name="${file.name}"; filename="${fileName}"\\r\\nContent-Type: ${fileType}\\r\\n\\r\\n'`,
      `data = form.encode() + ${literal(file.value)}.encode() + f"\\r\\n--{boundary}--\\r\\n".encode()`,
      "",
    );
    sent.push(`"Content-Type": "multipart/form-data; boundary=" + boundary`);
    data = "data";
  }
  lines.push("request = urllib.request.Request(", `    ${literal(r.url)},`, `    method=${literal(r.method)},`);
  if (sent.length > 0) lines.push(`    headers={${sent.join(", ")}},`);
  if (data) lines.push(`    data=${data},`);
  lines.push(")", "try:", "    with urllib.request.urlopen(request) as response:");
  if (r.streams) lines.push("        for line in response:", '            print(line.decode(), end="", flush=True)');
  else lines.push('        print(response.status, response.read().decode(errors="replace"))');
  lines.push("except urllib.error.HTTPError as error:", '    print(error.code, error.read().decode(errors="replace"))');
  return lines.join("\n");
}

// JSON as Python: other words for three values, and no escaped slash.
function pythonValue(text: string): string {
  const words: Record<string, string> = { true: "True", false: "False", null: "None" };
  return text.replace(
    /"(?:\\.|[^"\\])*"|\b(?:true|false|null)\b/g,
    (token) => words[token] ?? token.replace(/\\(.)/g, (pair, c) => (c === "/" ? c : pair)),
  );
}

function javascript(r: Request): string {
  const lines: string[] = [];
  const sent = r.headers.map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  if (!r.isPublic) sent.unshift(`Authorization: \`Bearer \${process.env.${key}}\``);
  const options: string[] = [];
  if (r.method !== "GET") options.push(`method: ${literal(r.method)},`);
  if (sent.length > 0) options.push(`headers: { ${sent.join(", ")} },`);
  if (r.parts.length > 0) {
    lines.push("const form = new FormData();");
    for (const { name, value, isFile } of r.parts) {
      lines.push(
        isFile
          ? `form.append(${literal(name)}, new Blob([${literal(value)}], { type: ${literal(fileType)} }), ${literal(fileName)});`
          : `form.append(${literal(name)}, ${literal(value)});`,
      );
    }
    options.push("body: form,");
  } else if (r.text) {
    options.push(
      `body: ${r.isJSON && parse(r.text) !== undefined ? `JSON.stringify(${indent(r.text, "  ")})` : literal(r.text)},`,
    );
  }
  lines.push(
    `const response = await fetch(${literal(r.url)}${options.length > 0 ? `, {\n  ${options.join("\n  ")}\n}` : ""});`,
  );
  if (r.streams)
    lines.push(
      "for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) process.stdout.write(chunk);",
    );
  else lines.push("console.log(response.status, await response.text());");
  return lines.join("\n");
}

function go(r: Request): string {
  const modules = ["fmt", "io", "net/http", ...(r.isPublic ? [] : ["os"])];
  const lines: string[] = [];
  let body = "nil";
  const sent = r.headers.map(([name, value]) => `request.Header.Set(${literal(name)}, ${literal(value)})`);
  if (!r.isPublic) sent.unshift(`request.Header.Set("Authorization", "Bearer "+os.Getenv("${key}"))`);
  if (r.parts.length > 0) {
    modules.push("bytes", "mime/multipart", "net/textproto");
    lines.push("var body bytes.Buffer", "form := multipart.NewWriter(&body)");
    for (const { name, value, isFile } of r.parts) {
      if (!isFile) lines.push(`form.WriteField(${literal(name)}, ${literal(value)})`);
      else {
        lines.push(
          "part, err := form.CreatePart(textproto.MIMEHeader{",
          `\t"Content-Disposition": {${literal(`form-data; name="${name}"; filename="${fileName}"`)}},`,
          `\t"Content-Type":        {${literal(fileType)}},`,
          "})",
          ...check,
          `io.WriteString(part, ${literal(value)})`,
        );
      }
    }
    lines.push("form.Close()");
    sent.push(`request.Header.Set("Content-Type", form.FormDataContentType())`);
    body = "&body";
  } else if (r.text) {
    modules.push("strings");
    lines.push(`body := strings.NewReader(${/[`\r]/.test(r.text) ? literal(r.text) : `\`${r.text}\``})`);
    body = "body";
  }
  if (r.streams && r.isPublic) modules.push("os");
  lines.push(`request, err := http.NewRequest(${literal(r.method)}, ${literal(r.url)}, ${body})`, ...check, ...sent);
  lines.push("response, err := http.DefaultClient.Do(request)", ...check, "defer response.Body.Close()");
  if (r.streams) lines.push("fmt.Println(response.Status)", "io.Copy(os.Stdout, response.Body)");
  else lines.push("answer, err := io.ReadAll(response.Body)", ...check, "fmt.Println(response.Status, string(answer))");
  // The text of a raw string keeps its own lines.
  const code = lines
    .map((line) => (line.startsWith("body := strings") ? "\t" + line : "\t" + indent(line, "\t")))
    .join("\n");
  return `package main\n\nimport (\n${modules
    .sort()
    .map((name) => `\t"${name}"`)
    .join("\n")}\n)\n\nfunc main() {\n${code}\n}`;
}

const check = ["if err != nil {", "\tpanic(err)", "}"];
