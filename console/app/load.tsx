// The modules of the pages, which are loaded when a page is opened, and what is shown of one
// that cannot be loaded.

import { effect, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import lazy from "preact-iso/lazy";
import { useEffect } from "preact/hooks";
import { useTitle } from "./hooks";
import { probe, reachable } from "./reach";
import { text } from "./texts/shell";

type PageComponent = ComponentType<object>;

interface Module {
  default: PageComponent;
}

/** A page whose module is loaded when it is opened. The name is that of the module. */
export const lazyPage = (name: string, load: () => Promise<Module>) =>
  lazy(async () => {
    try {
      const loaded = await load();
      clearReloaded(name);
      return loaded;
    } catch (error) {
      return { default: unloadedPage(name, load, error as Error) };
    }
  });

/** The page in place of one whose module could not be loaded, which becomes that page. */
function unloadedPage(name: string, load: () => Promise<Module>, failure: Error): PageComponent {
  const page = signal<PageComponent | null>(null);
  let attempt: Promise<void> | undefined;
  const tryAgain = (isChosen: boolean) => {
    attempt ??= loadAgain(name, load, failure, isChosen)
      .then((loaded) => {
        page.value = loaded;
      })
      .finally(() => {
        attempt = undefined;
      });
  };
  return (props) => {
    const Page = page.value;
    // When it is opened, which may be not for the first time, and when the service is there again.
    useEffect(
      () =>
        effect(() => {
          if (reachable.value && !page.value) tryAgain(false);
        }),
      [],
    );
    return Page ? <Page {...props} /> : <CannotLoad retry={() => tryAgain(true)} />;
  };
}

/**
 * Loads a module that has failed before. Browsers keep the failure of an address, so it is loaded
 * under another one, which Chromium and Firefox name in the error. When that fails as well although
 * the service answers, the modules have other names since an upgrade: the console is loaded again,
 * once, or when the person chooses to.
 */
async function loadAgain(
  name: string,
  load: () => Promise<Module>,
  failure: Error,
  isChosen: boolean,
): Promise<PageComponent | null> {
  if (!(await probe())) return null;
  try {
    return (await load()).default;
  } catch {
    // The browser keeps the failure, or the module is not there.
  }
  const address = /https?:\/\/\S+\.js/.exec(failure.message)?.[0];
  try {
    if (address && new URL(address).origin === location.origin)
      return (await import(`${address}?${Date.now()}`)).default;
  } catch {
    // It, or a module that it imports, is not there.
  }
  if (markReloaded(name) || isChosen) location.reload();
  return null;
}

const reloadedKey = "atelier.reloaded"; // in the storage of the tab: the module for which the console was loaded again

/** Notes for which module the console is loaded again, and reports whether that is the first time. */
function markReloaded(name: string): boolean {
  try {
    if (sessionStorage.getItem(reloadedKey) === name) return false;
    sessionStorage.setItem(reloadedKey, name);
    return true;
  } catch {
    return false; // without storage it might be loaded again and again
  }
}

function clearReloaded(name: string) {
  try {
    if (sessionStorage.getItem(reloadedKey) === name) sessionStorage.removeItem(reloadedKey);
  } catch {
    // Without storage there is no mark.
  }
}

function CannotLoad({ retry }: { retry: () => void }) {
  useTitle(text.cannotLoad);
  return (
    <div class="missing">
      <h1>{text.cannotLoad}</h1>
      <p class="muted" role="status">
        {reachable.value ? text.cannotLoadHelp : text.unreachable}
      </p>
      <button class="quiet" onClick={retry}>
        {text.tryAgain}
      </button>
    </div>
  );
}
