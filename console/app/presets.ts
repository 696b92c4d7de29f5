// Styles and views of the account, which the service keeps. Changes are shown at once, and as they were when the
// service refuses. What this browser kept before the service did is moved there.

import { effect, signal, type Signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { ApiError, del, get, put } from "./api";
import { kept, unkeep } from "./keep";
import { toastError } from "./parts/toast";
import { missing, nameOf, reduce, shown, type Action, type Change, type Preset, type State } from "./preset";
import { endedSessions } from "./session";

export type Kind = "style" | "view";

/** Where a browser kept presets, and how it wrote them. */
export interface Former {
  key: string;
  read: (text: string) => Preset[];
}

const none: State = { pending: [] };
const states: Record<Kind, Signal<State>> = { style: signal(none), view: signal(none) };
const writes: Record<Kind, number> = { style: 0, view: 0 };
let account = 0; // counts those that have used this page

effect(() => {
  endedSessions.value;
  account++;
  for (const state of Object.values(states)) state.value = none;
});

const act = (kind: Kind, action: Action) => void (states[kind].value = reduce(states[kind].peek(), action));

async function store(kind: Kind, { name, value }: Change) {
  const path = { kind, name };
  if (value !== undefined) return void (await put("/v1/presets/{kind}/{name}", { value }, { path }));
  await del("/v1/presets/{kind}/{name}", { path }).catch((error) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error; // another device removed it
  });
}

/** Keeps a preset, or removes one, and reports whether the service did. */
async function write(kind: Kind, written: Change): Promise<boolean> {
  const change = { ...written, name: nameOf(written.name) };
  const mine = account;
  const end = (type: "done" | "failed") => void (mine === account && act(kind, { type, change }));
  act(kind, { type: "begin", change });
  try {
    await store(kind, change);
    end("done");
    return true;
  } catch (error) {
    end("failed");
    toastError(error);
    return false;
  } finally {
    writes[kind]++;
  }
}

export const savePreset = (kind: Kind, preset: Preset) => write(kind, preset);
export const removePreset = (kind: Kind, name: string) => write(kind, { name });

async function read(kind: Kind, former: Former): Promise<void> {
  const mine = account;
  let before: number;
  let presets: Preset[];
  do {
    before = writes[kind];
    presets = (await get("/v1/presets", { query: { kind } })).presets;
    if (mine !== account) return;
  } while (before !== writes[kind]); // it may lack what was written meanwhile
  act(kind, { type: "read", kept: presets });
  await move(kind, former, presets);
}

/** Moves what the browser kept to the service. What it does not take stays for the next time. */
async function move(kind: Kind, { key, read }: Former, presets: Preset[]) {
  const text = kept(key);
  if (!text) return;
  for (const preset of missing(read(text), presets)) if (!(await write(kind, preset))) return;
  if (kept(key) === text) unkeep(key);
}

/** The presets of a kind, read again by each component that shows them. */
export function usePresets(kind: Kind, former: Former) {
  const [error, setError] = useState<Error>();
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isShown = true;
    read(kind, former).then(
      () => isShown && setError(undefined),
      (error) => isShown && setError(error),
    );
    return () => void (isShown = false);
  }, [kind, former.key, round]);
  const state = states[kind].value;
  return { list: shown(state), isRead: state.kept !== undefined, error, retry: () => setRound(round + 1) };
}
