// The gallery of templates.

import { encoded } from "../api";
import { words } from "../format";
import { useData, useTitle } from "../hooks";
import { Chip } from "../parts/chip";
import { Choices } from "../parts/field";
import { Icon, kindIcon } from "../parts/icon";
import { Empty, Failure } from "../parts/notice";
import { useQuery } from "../query";
import { aboutTemplate, isOwn, loadTemplates } from "../template/load";
import { isMedia, says } from "../template/model";
import { needs } from "../template/values";
import type { Template } from "../types";
import { TemplatePicture } from "../template/picture";
import { text } from "../texts/template";

type Show = keyof typeof text.show;

export default function Templates() {
  useTitle(text.title);
  const [query, change] = useQuery();
  const list = useData((signal) => loadTemplates("all", signal), []);
  const show: Show = query.show === "own" || query.show === "public" ? query.show : "all";
  const term = (query.q ?? "").toLowerCase();
  const matches = (template: Template) =>
    (show === "all" || (show === "own") === isOwn(template)) &&
    (!query.category || template.category === query.category) &&
    `${template.name} ${aboutTemplate(template)}`.toLowerCase().includes(term);
  const own = list.data?.filter(isOwn) ?? [];
  const shown = [...own, ...(list.data?.filter((template) => !isOwn(template)) ?? [])].filter(matches);
  const present = [...new Set(list.data?.map((template) => template.category))].sort();
  const clear = () => change({ show: "", q: "", category: "" });
  return (
    <div class="templates">
      <div class="page-head">
        <div>
          <h1>{text.title}</h1>
          <p class="muted">{text.about}</p>
        </div>
        <a class="primary as-link" href="/templates/new">
          <Icon name="plus" size={18} /> {text.new}
        </a>
      </div>
      <Filters show={show} categories={present} />
      {list.error && <Failure error={list.error} retry={list.reload} />}
      {!list.data && !list.error && (
        <div class="template-grid" aria-busy="true">
          {[0, 1, 2, 3, 4, 5].map((i) => (
            <div class="template-card blank" key={i} />
          ))}
        </div>
      )}
      {list.data &&
        !shown.length &&
        (show === "own" && !own.length ? (
          <Empty title={text.none}>
            <p>{text.noneHelp}</p>
          </Empty>
        ) : (
          <Empty title={text.noneFound}>
            <button class="quiet" onClick={clear}>
              {text.clear}
            </button>
          </Empty>
        ))}
      <ul class="template-grid" aria-label={text.list}>
        {shown.map((template) => (
          <Card key={template.id} template={template} />
        ))}
      </ul>
    </div>
  );
}

function Filters({ show, categories }: { show: Show; categories: string[] }) {
  const [query, change] = useQuery();
  return (
    <div class="row template-filters" role="search" aria-label={text.search}>
      <Choices<Show>
        label={text.showLabel}
        value={show}
        onInput={(value) => change({ show: value === "all" ? "" : value })}
        options={(Object.keys(text.show) as Show[]).map((value) => ({ value, label: text.show[value] }))}
      />
      <input
        class="grow"
        type="search"
        aria-label={text.search}
        placeholder={text.search}
        value={query.q ?? ""}
        onInput={(e) => change({ q: e.currentTarget.value })}
      />
      <select
        aria-label={text.category}
        value={query.category ?? ""}
        onInput={(e) => change({ category: e.currentTarget.value })}>
        <option value="">{text.anyCategory}</option>
        {categories.map((category) => (
          <option key={category} value={category}>
            {words(category)}
          </option>
        ))}
      </select>
    </div>
  );
}

function Card({ template }: { template: Template }) {
  const needed = needs(template.inputs);
  return (
    <li>
      <a class="template-card" href={encoded`/templates/${template.id}`}>
        <TemplatePicture template={template} />
        <span class="template-card-text">
          <span class="template-card-name">{template.name}</span>
          <span class="small muted template-card-brief">{template.brief || template.description}</span>
          <span class="row small">
            {needed.length > 0 && (
              <span class="template-needs muted">
                {text.needs}
                {needed.map((input) => (
                  <span key={input.name}>
                    <Icon name={isMedia(input.type) ? kindIcon(input.type) : "edit"} size={16} /> {words(input.name)}
                  </span>
                ))}
              </span>
            )}
            {isOwn(template) && <Chip tone="accent">{text.show.own}</Chip>}
            {says(template.category) && <Chip>{words(template.category)}</Chip>}
            {template.stability !== "production" && <Chip>{words(template.stability)}</Chip>}
          </span>
        </span>
      </a>
    </li>
  );
}
