// The command palette (Ctrl+K) and the sheet of shortcuts (?).

import { signal } from "@preact/signals";
import { useLocation } from "preact-iso/router";
import { useListener } from "./hooks";
import { canNotify, notices, setNotices } from "./notices";
import { Dialog } from "./parts/dialog";
import { Icon, type IconName } from "./parts/icon";
import { Picker } from "./parts/picker";
import { rank } from "./parts/rank";
import { finishToasts, toastError } from "./parts/toast";
import { pages } from "./routes";
import { session, signOut } from "./session";
import { text } from "./texts/shell";
import { theme, themes } from "./theme";

const open = signal<"" | "palette" | "shortcuts">("");

export const openPalette = () => (open.value = "palette");

interface Command {
  name: string;
  about: string;
  icon: IconName;
  run: () => unknown;
}

/** What the person can do from anywhere. */
function commands(route: (path: string) => void): Command[] {
  const shown = pages.filter((page) => page.group && (page.access !== "operator" || session.value?.operator));
  const c = text.commands;
  return [
    ...shown.map((page) => ({ name: page.name!, about: c.page, icon: page.icon!, run: () => route(page.path) })),
    { name: c.newConversation, about: text.pages.chat, icon: "plus", run: () => route("/chat") },
    { name: c.newTemplate, about: text.pages.templates, icon: "plus", run: () => route("/templates/new") },
    ...themes.map((to) => ({
      name: text.themes[to],
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
    { name: text.shortcuts.title, about: c.help, icon: "docs", run: () => (open.value = "shortcuts") },
    { name: text.signOut, about: text.pages.account, icon: "key", run: leave },
  ];
}

async function leave() {
  await finishToasts();
  await signOut();
}

const isTyping = (event: KeyboardEvent) =>
  (event.target as Element).closest?.("input, select, textarea, [contenteditable], dialog");

export function PaletteHost() {
  const { route } = useLocation();
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
  const all = commands(route);
  return (
    <Dialog title={text.commands.title} onClose={close}>
      <Picker
        label={text.commands.search}
        find={(term) =>
          rank(
            all,
            term,
            (c) => c.name,
            (c) => c.about,
          )
        }
        nameOf={(c) => c.name}
        draw={(c) => (
          <>
            <Icon name={c.icon} size={18} />
            <span>
              <strong>{c.name}</strong> <span class="small muted">{c.about}</span>
            </span>
          </>
        )}
        onPick={(c) => {
          close();
          Promise.resolve(c.run()).catch(toastError);
        }}
        none={text.commands.none}
        found={text.commands.found}
      />
    </Dialog>
  );
}

function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={text.shortcuts.title} onClose={onClose}>
      <div class="stack">
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
