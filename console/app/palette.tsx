// The command palette (Ctrl+K) and the sheet of shortcuts (?).

import { signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useEffect, useState } from "preact/hooks";
import { encoded } from "./api";
import { linesFor, type Goal, type Goals, type Line } from "./goals";
import { useData, useListener, useSettled } from "./hooks";
import { canNotify, notices, setNotices } from "./notices";
import { Dialog } from "./parts/dialog";
import { Icon } from "./parts/icon";
import { Picker } from "./parts/picker";
import { finishToasts, toastError } from "./parts/toast";
import { findGoals, readGoals } from "./read-goals";
import { pages } from "./routes";
import { session, signOut } from "./session";
import { text } from "./texts/shell";
import { theme, themes } from "./theme";

const open = signal<"" | "palette" | "shortcuts">("");

export const openPalette = () => (open.value = "palette");

interface Command extends Line {
  run: () => unknown;
}

/** What the person can do from anywhere. */
function commands(route: (path: string) => void): Command[] {
  return lines(route).map((line) => ({ key: line.name, ...line }));
}

function lines(route: (path: string) => void): Omit<Command, "key">[] {
  const shown = pages.filter((page) => page.group && (page.access !== "operator" || session.value?.operator));
  const c = text.commands;
  return [
    ...shown.map((page) => ({
      name: page.name!,
      also: c.pagesAlso[page.path],
      about: c.page,
      icon: page.icon!,
      run: () => route(page.path),
    })),
    { name: c.loras, about: text.pages.library, icon: "library", run: () => route("/library?tab=loras") },
    {
      name: c.uploads,
      also: c.uploadsAlso,
      about: text.pages.library,
      icon: "library",
      run: () => route("/library?tab=uploads"),
    },
    {
      name: c.newKey,
      also: c.newKeyAlso,
      about: text.pages.account,
      icon: "key",
      run: () => route("/account?new=key"),
    },
    {
      name: c.newConversation,
      also: c.newConversationAlso,
      about: text.pages.chat,
      icon: "plus",
      run: () => route("/chat"),
    },
    { name: c.newTemplate, about: text.pages.templates, icon: "plus", run: () => route("/templates/new") },
    ...themes.map((to) => ({
      name: text.themes[to],
      also: c.themesAlso,
      about: c.theme,
      icon: "edit" as const,
      run: () => (theme.value = to),
    })),
    ...(canNotify
      ? [
          {
            name: notices.value ? text.notices.off : text.notices.on,
            about: text.notices.about,
            icon: "check" as const,
            run: () => setNotices(!notices.value),
          },
        ]
      : []),
    {
      name: text.shortcuts.title,
      also: c.shortcutsAlso,
      about: c.help,
      icon: "docs",
      run: () => (open.value = "shortcuts"),
    },
    { name: text.signOut, also: c.signOutAlso, about: text.pages.account, icon: "key", run: leave },
  ];
}

async function leave() {
  await finishToasts();
  await signOut();
}

/** The searches of the pages, for what a person has written. */
function searches(written: string): Goal[] {
  const term = written.trim();
  if (!term) return [];
  return Object.entries(text.commands.searches).map(([page, nameFor]) => ({
    key: `search ${page}`,
    name: nameFor(term),
    about: text.commands.page,
    icon: "search",
    path: `${page}${encoded`?q=${term}`}`,
  }));
}

const isTyping = (event: KeyboardEvent) =>
  (event.target as Element).closest?.("input, select, textarea, [contenteditable], dialog:not(.lightbox)");

export function PaletteHost() {
  useListener("keydown", (event) => {
    if (!session.value || event.altKey || event.isComposing) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      if (!open.value && document.querySelector("dialog[open]")) return;
      event.preventDefault();
      open.value = open.value === "palette" ? "" : "palette";
    } else if (event.key === "?" && !isTyping(event) && !open.value) {
      event.preventDefault();
      open.value = "shortcuts";
    }
  });
  const close = () => (open.value = "");
  if (open.value === "shortcuts") return <Shortcuts onClose={close} />;
  if (open.value !== "palette" || !session.value) return null;
  return <Palette onClose={close} />;
}

function Palette({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [goals, setGoals] = useState<Goals>({});
  useEffect(() => {
    const abort = new AbortController();
    readGoals(abort.signal, (list, read) => setGoals((old) => ({ ...old, [list]: read })));
    return () => abort.abort();
  }, []);
  const [typed, setTyped] = useState("");
  const term = useSettled(typed.trim(), 250);
  const served = useData(async (signal) => ({ term, goals: term ? await findGoals(term, signal) : [] }), [term]);
  const all = commands(route);
  return (
    <Dialog title={text.commands.title} onClose={onClose} high>
      <Picker<Command | Goal>
        label={text.commands.search}
        find={(written) => linesFor(all, goals, written, written.trim() === served.data?.term ? served.data.goals : [])}
        last={searches}
        onTerm={setTyped}
        keyOf={(line) => line.key}
        nameOf={(line) => line.name}
        draw={(line) => (
          <>
            <Icon name={line.icon} size={18} />
            <span>
              <strong>{line.name}</strong>{" "}
              <span class="small muted">{[line.about, line.detail].filter(Boolean).join(" · ")}</span>
            </span>
          </>
        )}
        onPick={(line) => {
          onClose();
          if ("path" in line) route(line.path);
          else Promise.resolve(line.run()).catch(toastError);
        }}
        none={text.commands.none}
        found={text.commands.found}
      />
    </Dialog>
  );
}

function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={text.shortcuts.title} onClose={onClose} wide>
      <div class="shortcuts-groups">
        {text.shortcuts.groups.map(({ name, keys }) => (
          <section key={name}>
            <h3>{name}</h3>
            <dl class="shortcuts">
              {keys.map(([key, what]) => (
                <div key={key}>
                  <dt>
                    <kbd>{key}</kbd>
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
