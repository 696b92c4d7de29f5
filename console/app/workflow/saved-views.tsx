// Views of the list that the account keeps.

import { useState } from "preact/hooks";
import { Dialog } from "../parts/dialog";
import { TextField } from "../parts/field";
import { IconButton } from "../parts/icon";
import { Failure } from "../parts/notice";
import { maxName } from "../preset";
import { removePreset, savePreset, usePresets } from "../presets";
import { session } from "../session";
import { text } from "../texts/workflow";
import { filters, filtersIn, isSame, localViews, queryOf, viewOf, type Filters } from "./views";

const words = text.views;

interface SavedViewsProps {
  query: Record<string, string>;
  change: (change: Filters) => void;
}

/** The views of the account that is signed in. */
export function SavedViews({ query, change }: SavedViewsProps) {
  const kept = usePresets("view", { key: `atelier.views.${session.value?.walletAddress ?? ""}`, read: localViews });
  const [isNaming, setNaming] = useState(false);
  const views = kept.list.map(viewOf);
  const current = filtersIn(query);
  const shown = views.find((v) => isSame(v.filters, current));
  const isFiltered = Object.keys(current).length > 0;
  if (kept.error) return <Failure error={kept.error} retry={kept.retry} />;
  if (!views.length && !isFiltered) return null;
  return (
    <div class="saved-views" role="group" aria-label={words.title}>
      {views.map((view) => (
        <button
          key={view.name}
          class="choice"
          aria-pressed={view === shown}
          onClick={() => change(Object.fromEntries(filters.map((name) => [name, view.filters[name] ?? ""])))}>
          {view.name}
        </button>
      ))}
      {shown && (
        <IconButton
          icon="trash"
          size={16}
          label={words.remove(shown.name)}
          onClick={() => void removePreset("view", shown.name)}
        />
      )}
      {isFiltered && !shown && (
        <button class="quiet" onClick={() => setNaming(true)}>
          {words.save}
        </button>
      )}
      {isNaming && (
        <NameDialog
          onClose={() => setNaming(false)}
          onName={(name) => {
            void savePreset("view", { name, value: queryOf(current) });
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}

function NameDialog({ onName, onClose }: { onName: (name: string) => void; onClose: () => void }) {
  const [name, setName] = useState("");
  return (
    <Dialog title={words.saveTitle} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim()) onName(name.trim());
        }}>
        <TextField label={words.name} value={name} onInput={setName} maxLength={maxName} />
        <p class="small muted">{words.where}</p>
        <footer>
          <button class="primary" disabled={!name.trim()}>
            {words.saveConfirm}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
