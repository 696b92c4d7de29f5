// What an operator should know about a workflow: what is missing, with its package, and what could not be kept.

import { Notice } from "../parts/notice";
import { text } from "../texts/graphs";
import type { GraphInspection } from "../types";

export function Findings({ inspection: i }: { inspection: GraphInspection }) {
  const listed = i.missingNodes.map((n) => text.theNode(n.class)); // above, with their packages
  const lacks = i.check.lacks.filter((one) => !listed.includes(one));
  return (
    <>
      <div role="status">
        <Notice tone={i.check.ready ? "good" : i.check.ready === null ? "plain" : "warn"}>{i.check.message}</Notice>
      </div>
      {i.missingNodes.length > 0 && <MissingNodes inspection={i} />}
      {lacks.length > 0 && (
        <section>
          <h2>{text.lacks}</h2>
          <ul>
            {lacks.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </section>
      )}
      {i.files.length > 0 && (
        <section>
          <h2>{text.files}</h2>
          <ul>
            {i.files.map((f) => (
              <li key={f.target}>
                <code>{[f.folder, f.name].filter(Boolean).join("/")}</code>{" "}
                {f.from && (
                  <a href={f.from} rel="noreferrer" target="_blank">
                    {f.from.split("/")[2] || f.from}
                  </a>
                )}
              </li>
            ))}
          </ul>
        </section>
      )}
      {i.findings.length > 0 && (
        <details open>
          <summary>{text.notes}</summary>
          <ul>
            {i.findings.map((f) => (
              <li key={`${f.node} ${f.text}`}>
                {f.node && text.atNode(f.node)}
                {f.text}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function MissingNodes({ inspection: i }: { inspection: GraphInspection }) {
  return (
    <section>
      <h2>{text.missing}</h2>
      <ul>
        {i.missingNodes.map((n) => (
          <li key={n.class}>
            <code>{n.class}</code> <span class="muted">{text.missingNode(n.nodes)}</span>{" "}
            {n.package && (
              <>
                {text.fromPackage}{" "}
                {n.url ? (
                  <a href={n.url} rel="noreferrer" target="_blank">
                    {n.package}
                  </a>
                ) : (
                  n.package
                )}
              </>
            )}
            <p class="help-text">{n.hint}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
