// One template: what it does, its form, and what can be done with it.

import { useLocation, useRoute } from "preact-iso/router";
import { useState } from "preact/hooks";
import { ApiError, del, encoded, get, post } from "../api";
import { words } from "../format";
import { useData, useTitle } from "../hooks";
import { Chip } from "../parts/chip";
import { ask, Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { Icon } from "../parts/icon";
import { Empty, Failure, Waiting } from "../parts/notice";
import { toast, toastError } from "../parts/toast";
import { session } from "../session";
import { stagesOf } from "../template/derive";
import { saveFile } from "../template/file";
import { isOwn, loadTemplates } from "../template/load";
import type { Template } from "../types";
import { keptValues } from "../template/kept";
import { says } from "../template/model";
import { TemplatePicture } from "../template/picture";
import { RunForm } from "../template/run";
import type { Values } from "../template/values";
import { text } from "../texts/template";
import { enteredIn } from "../workflow/inputs";

export default function Page() {
  const { params } = useRoute();
  const { from } = useLocation().query;
  const loaded = useData(
    async (signal) => {
      const { template } = await get("/v1/creative-agent/workflows/templates/{id}", {
        path: { id: params.id },
        signal,
      });
      return { template, given: from ? await enteredBefore(template, from, signal) : undefined };
    },
    [params.id, from],
  );
  const template = loaded.data?.template;
  useTitle(template?.name ?? text.title);
  if (!template) {
    if (loaded.error instanceof ApiError && loaded.error.status === 404)
      return (
        <Empty title={text.missing}>
          <p>{text.missingHelp}</p>
          <p>
            <a href="/templates">{text.back}</a>
          </p>
        </Empty>
      );
    return loaded.error ? <Failure error={loaded.error} retry={loaded.reload} /> : <Waiting />;
  }
  return <View key={template.id} template={template} given={loaded.data?.given} />;
}

/** What a workflow of a template was started with. One that cannot be read leaves the form as it was. */
async function enteredBefore(template: Template, id: string, signal: AbortSignal): Promise<Values | undefined> {
  const kept = keptValues(id);
  if (kept) return kept;
  try {
    return enteredIn(template, (await get("/v1/creative-agent/workflows/{id}", { path: { id }, signal })).workflow);
  } catch {
    return undefined;
  }
}

function View({ template, given }: { template: Template; given?: Values }) {
  const { route, query } = useLocation();
  const lead = template.brief || template.description;
  return (
    <div class="template">
      <header>
        <p class="small">
          <a href="/templates">{text.back}</a>
        </p>
        <div class="page-head">
          <h1>{template.name}</h1>
          <Actions template={template} />
        </div>
      </header>
      <div class="template-main">
        <div class="template-intro">
          <TemplatePicture template={template} />
          {lead && <p class="template-lead">{lead}</p>}
        </div>
        <section class="panel" aria-label={text.runTitle}>
          <h2>{text.runTitle}</h2>
          <p class="small muted run-help">{text.runHelp}</p>
          <RunForm
            key={query.from}
            templateId={template.id}
            inputs={template.inputs}
            given={given}
            onStarted={(workflow) => route(encoded`/workflows/${workflow.workflowId}`)}
          />
        </section>
        <About template={template} />
      </div>
    </div>
  );
}

function About({ template }: { template: Template }) {
  const stages = stagesOf(template);
  const said = template.description || template.brief;
  return (
    <aside class="stack template-about">
      {said && <p class={said === (template.brief || said) ? "template-said" : undefined}>{said}</p>}
      <p class="row">
        {isOwn(template) && <Chip tone="accent">{text.visibility[template.visibility]}</Chip>}
        {template.stability !== "production" && <Chip tone="warn">{words(template.stability)}</Chip>}
        {says(template.category) && <Chip>{words(template.category)}</Chip>}
        {template.tags
          .filter((tag) => tag !== template.category)
          .map((tag) => (
            <Chip key={tag}>{tag}</Chip>
          ))}
      </p>
      <p class="small muted">
        {text.version} {template.version} ·{" "}
        {typeof template.author === "object"
          ? text.by(template.author.displayName || template.author.userId.slice(0, 10))
          : text.byService}
        {template.clonedFromTemplateId && (
          <>
            {" "}
            · {text.copyOf}{" "}
            <a href={encoded`/templates/${template.clonedFromTemplateId}`}>{template.clonedFromTemplateId}</a>
          </>
        )}
      </p>
      <h2>{text.stagesTitle}</h2>
      <ol class="stage-outline">
        {stages.map((stage) => (
          <li key={stage.id} class={stage.parent ? "inner" : ""}>
            <span>{stage.label}</span>{" "}
            <span class="small muted">
              {words(stage.tool)}
              {stage.isBatch && ` · ${text.each(String(stage.stage.overBinding ?? "").replace(/^\$\w+\./, ""))}`}
            </span>
          </li>
        ))}
      </ol>
      {session.value?.operator ? (
        <Publishing template={template} />
      ) : (
        isOwn(template) && (
          <details>
            <summary>{text.publishTitle}</summary>
            <div class="stack small">
              <p>{text.publishOther}</p>
              <p>
                <button
                  class="quiet"
                  onClick={() => saveFile(`${template.id}.json`, JSON.stringify(template, null, 2) + "\n")}>
                  <Icon name="download" size={16} /> {text.downloadFile}
                </button>
              </p>
            </div>
          </details>
        )
      )}
    </aside>
  );
}

/** What an operator can do: publish a template of their own, and withdraw a published one. */
function Publishing({ template }: { template: Template }) {
  const found = useData(
    async (signal) => (await loadTemplates("public", signal)).find((other) => other.id === template.id) ?? null,
    [template.id],
  );
  const [busy, setBusy] = useState(false);
  const isOurs = isOwn(template);
  if (found.error) return <Failure error={found.error} retry={found.reload} />;
  const old = found.data;
  const published = old?.createdAt ? old : null; // one that comes with the service was never published, and has no date
  if (old === undefined || (!published && !isOurs)) return null;
  const replacing = published ? text.replaceText(published.version) : text.replaceServiceText;
  const change = async (isPublish: boolean) => {
    const question = !isPublish
      ? { title: text.withdrawAsk(template.name), body: text.withdrawText, confirm: text.withdraw, danger: true }
      : old
        ? { title: text.replaceAsk(old.name), body: replacing, confirm: text.replace, danger: true }
        : { title: text.publishAsk(template.name), body: text.publishText, confirm: text.publish };
    if (!(await ask(question))) return;
    setBusy(true);
    try {
      if (isPublish) await post("/v1/operator/templates", { template: { ...template }, replaces: old?.version ?? "" });
      else await del("/v1/operator/templates/{id}", { path: { id: template.id } });
      toast(isPublish ? text.published : text.withdrawn);
    } catch (error) {
      toastError(error);
    }
    found.reload(); // also when another operator was quicker
    setBusy(false);
  };
  return (
    <section class="stack" aria-label={text.publishTitle}>
      <h2>{text.publishTitle}</h2>
      <p class="small muted">
        {published
          ? published.name === template.name
            ? text.publishedAs(published.version)
            : text.publishedOther(published.name, published.version)
          : old
            ? text.replaceServiceText
            : text.publishText}
      </p>
      <p class="row">
        {isOurs && (
          <button class="quiet" disabled={busy} onClick={() => void change(true)}>
            {published ? text.publishAgain : text.publish}
          </button>
        )}
        {published && (
          <button class="quiet" disabled={busy} onClick={() => void change(false)}>
            {text.withdraw}
          </button>
        )}
      </p>
    </section>
  );
}

function Actions({ template }: { template: Template }) {
  const { route } = useLocation();
  const [copying, setCopying] = useState(false);
  const own = isOwn(template);
  const remove = async () => {
    if (
      !(await ask({
        title: text.deleteTitle(template.name),
        body: text.deleteText,
        confirm: text.delete,
        danger: true,
      }))
    )
      return;
    try {
      await del("/v1/creative-agent/workflows/templates/{id}", { path: { id: template.id } });
      toast(text.deleted);
      route("/templates");
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div class="row">
      <a class="quiet" href={encoded`/workflows?template=${template.id}`}>
        {text.runs}
      </a>
      <a class="quiet" href={encoded`/templates/${template.id}/edit`}>
        <Icon name="edit" size={16} /> {own ? text.edit : text.look}
      </a>
      <button class="quiet" onClick={() => setCopying(true)}>
        <Icon name="copy" size={16} /> {text.fork}
      </button>
      {own && (
        <button class="quiet" onClick={() => void remove()}>
          <Icon name="trash" size={16} /> {text.delete}
        </button>
      )}
      {copying && <Fork template={template} onClose={() => setCopying(false)} />}
    </div>
  );
}

function Fork({ template, onClose }: { template: Template; onClose: () => void }) {
  const { route } = useLocation();
  const [name, setName] = useState(template.name);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const fork = async () => {
    setBusy(true);
    try {
      const copy = (
        await post("/v1/creative-agent/workflows/templates/{id}/fork", name.trim() ? { name: name.trim() } : {}, {
          path: { id: template.id },
        })
      ).template;
      onClose();
      toast(text.forked);
      route(encoded`/templates/${copy.id}`);
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };
  return (
    <Dialog title={text.fork} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void fork();
        }}>
        <TextField label={text.forkName} value={name} maxLength={200} onInput={setName} />
        {error && <Failure error={error} />}
        <footer>
          <button class="primary" disabled={busy}>
            {text.fork}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
