// The frame around every page: navigation, balance, connection, messages.

import { ErrorBoundary } from "preact-iso/lazy";
import { LocationProvider, Route, Router, useLocation } from "preact-iso/router";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "./api";
import { amount } from "./format";
import { useChanges, useData, useTitle } from "./hooks";
import { connection } from "./live";
import { Chip } from "./parts/chip";
import { DialogHost } from "./parts/dialog";
import { Guard } from "./parts/guard";
import { Icon, IconButton } from "./parts/icon";
import { LightboxHost } from "./parts/lightbox";
import { Failure, Waiting } from "./parts/notice";
import { Outage } from "./parts/outage";
import { finishToasts, toastError, Toasts } from "./parts/toast";
import { openPalette, PaletteHost } from "./palette";
import { arrive } from "./place";
import { lostAt } from "./reach";
import { pages, type Page } from "./routes";
import { endedSessions, lookupError, restoreSession, session, signOut } from "./session";
import { SignIn, SignInLink } from "./signin";
import { text } from "./texts/shell";

export function App() {
  return (
    <LocationProvider>
      <Frame />
      <Toasts />
      <DialogHost />
      <LightboxHost />
      <PaletteHost />
    </LocationProvider>
  );
}

/** The page that an address belongs to, by its first segment. */
export function pageOf(path: string): Page | undefined {
  const head = "/" + (path.split("/")[1] ?? "");
  return pages.find((page) => page.path === head);
}

function Frame() {
  const { path } = useLocation();
  const current = pageOf(path);
  const state = session.value;
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useLayoutEffect(() => {
    // before the person puts the focus elsewhere
    const writing =
      document.activeElement?.matches("textarea, input") && main.current?.contains(document.activeElement);
    if (first.current) first.current = false;
    else if (!writing) main.current?.focus({ preventScroll: true });
  }, [path]);
  const open = state || current?.access === "public";
  return (
    <div class={"frame" + (state ? "" : " signed-out")}>
      <a class="skip" href="#content">
        {text.skip}
      </a>
      <Bar current={current} />
      {state && <Navigation current={current} />}
      <main id="content" class="page" tabIndex={-1} ref={main}>
        {state === undefined && !open ? (
          lookupError.value ? (
            <CannotOpen error={lookupError.value} />
          ) : (
            <Waiting />
          )
        ) : open ? (
          <>
            {state && <Outage />}
            <Pages key={endedSessions.value} />
          </>
        ) : (
          <SignIn />
        )}
      </main>
    </div>
  );
}

/** The service did not say whether a session is open. */
function CannotOpen({ error }: { error: Error }) {
  useTitle(text.cannotOpen);
  return (
    <section class="signin">
      <h1>{text.cannotOpen}</h1>
      <p class="muted">{text.cannotOpenHelp}</p>
      <Failure error={error} retry={() => void restoreSession()} />
    </section>
  );
}

function Pages() {
  const operator = session.value?.operator;
  const { path } = useLocation();
  return (
    <ErrorBoundary>
      <Guard path={path}>
        <Router onRouteChange={arrive}>
          {pages
            .filter((page) => page.access !== "operator" || operator)
            .map((page) => (
              <Route key={page.key ?? page.path} path={page.path} component={page.component} />
            ))}
          <Route default component={Missing} />
        </Router>
      </Guard>
    </ErrorBoundary>
  );
}

function Missing() {
  useTitle(text.missing);
  const { path } = useLocation();
  const near = pageOf(path) ?? pageOf("/")!;
  return (
    <div class="missing">
      <h1>{text.missing}</h1>
      <p class="muted">{text.missingHelp}</p>
      <p>
        <a href={near.path}>{text.missingWay(near.name ?? "")}</a>
      </p>
    </div>
  );
}

function Bar({ current }: { current?: Page }) {
  return (
    <header class="bar">
      <a class="brand" href="/">
        <img src="/console/icon.svg" alt="" width="26" height="26" />
        atelier
      </a>
      {!session.value && (
        <nav aria-label={text.navigation}>
          <a href="/docs" aria-current={current?.path === "/docs" ? "page" : undefined}>
            {text.pages.docs}
          </a>
          {current?.access === "public" && <SignInLink>{text.signIn.button}</SignInLink>}
        </nav>
      )}
      {session.value && <Account />}
    </header>
  );
}

function Account() {
  const balance = useData((signal) => get("/v4/account/balance", { signal }), [session.value?.walletAddress]);
  useChanges(["balance"], balance.reload);
  const spark = balance.data?.spark;
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    try {
      await finishToasts();
      await signOut();
    } catch (error) {
      toastError(error);
      setBusy(false);
    }
  };
  return (
    <div class="session">
      <span role="status">
        {connection.value === "waiting" && !lostAt.value && <Chip tone="warn">{text.reconnecting}</Chip>}
      </span>
      <span class="palette-button">
        <IconButton icon="search" label={text.commands.open} onClick={openPalette} />
      </span>
      <a
        class="balance"
        href="/usage"
        title={
          spark && text.balance(amount(spark.premiumCredit), Number(spark.held) > 0 ? amount(spark.held) : undefined)
        }>
        <span class="figure-small">{spark ? amount(spark.net) : "…"}</span>{" "}
        <span class="muted small">{text.spark}</span>
      </a>
      <a class="who small" href="/account" title={text.signedInAs}>
        {session.value!.username || text.pages.account}
      </a>
      <button class="quiet" disabled={busy} onClick={() => void leave()}>
        {text.signOut}
      </button>
    </div>
  );
}

function Navigation({ current }: { current?: Page }) {
  const shown = pages.filter((page) => page.group && (page.access !== "operator" || session.value?.operator));
  const menu = useRef<HTMLDetailsElement>(null);
  const { path } = useLocation();
  useLayoutEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [path]);
  const link = (page: Page) => (
    <a key={page.path} href={page.path} aria-current={current === page ? "page" : undefined}>
      <Icon name={page.icon!} />
      <span>{page.name}</span>
    </a>
  );
  const tabs = ["/", "/chat", "/workflows", "/library"];
  return (
    <nav class="side" aria-label={text.navigation}>
      {(["make", "see", "account", "end"] as const).map((group) => (
        <div class="nav-group" key={group}>
          {shown
            .filter((page) => page.group === group)
            .map((page) => (
              <div class={tabs.includes(page.path) ? "tab" : "rest"} key={page.path}>
                {link(page)}
              </div>
            ))}
        </div>
      ))}
      <details class="more" ref={menu} onKeyDown={(event) => event.key === "Escape" && (menu.current!.open = false)}>
        <summary aria-current={current?.group && !tabs.includes(current.path) ? "true" : undefined}>
          <Icon name="more" />
          <span>{text.more}</span>
        </summary>
        <div class="sheet">
          <button
            onClick={() => {
              menu.current!.open = false;
              openPalette();
            }}>
            <Icon name="search" />
            <span>{text.commands.short}</span>
          </button>
          {shown.filter((page) => !tabs.includes(page.path)).map(link)}
        </div>
      </details>
    </nav>
  );
}
