// The request of the form as code, to run it without the console.

import { useState } from "preact/hooks";
import { Code } from "../parts/code";
import { Dialog } from "../parts/dialog";
import { Choices } from "../parts/field";
import { text } from "../texts/create";

const path = "/v1/creative-agent/workflows";

export function CodeDialog({ body, onClose }: { body: object; onClose: () => void }) {
  const [language, setLanguage] = useState("curl");
  return (
    <Dialog title={text.code.title} onClose={onClose} wide>
      <Choices label={text.code.language} value={language} onInput={setLanguage} options={Object.entries(text.code.languages).map(([value, label]) => ({ value, label }))} />
      <Code code={write(language, body)} language={language === "curl" ? "bash" : language} title={text.code.languages[language]} />
      <p class="muted small">{text.code.about}</p>
    </Dialog>
  );
}

function write(language: string, body: object): string {
  const json = JSON.stringify(body, null, 2);
  const url = location.origin + path;
  switch (language) {
    case "curl":
      return `curl '${url}' \\\n  -H "Authorization: Bearer $ATELIER_API_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${json.replace(/'/g, `'\\''`)}'`;
    case "javascript":
      return `const response = await fetch(${JSON.stringify(url)}, {\n  method: "POST",\n  headers: { Authorization: \`Bearer \${process.env.ATELIER_API_KEY}\`, "Content-Type": "application/json" },\n  body: JSON.stringify(${json.replace(/\n/g, "\n  ")}),\n});\nconst { data } = await response.json();\nconsole.log(data.workflow.workflowId);`;
    case "python":
      return `import json, os, urllib.request\n\nbody = json.loads(r"""${json}""")\nrequest = urllib.request.Request(\n    ${JSON.stringify(url)},\n    data=json.dumps(body).encode(),\n    headers={"Authorization": "Bearer " + os.environ["ATELIER_API_KEY"], "Content-Type": "application/json"},\n)\nprint(json.load(urllib.request.urlopen(request))["data"]["workflow"]["workflowId"])`;
  }
  return json;
}
