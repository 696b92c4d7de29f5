// Light or dark colours: as the system says, or as the person has chosen for this browser.

import { computed, effect, signal } from "@preact/signals";
import { keep, kept } from "./keep";

export type Theme = "system" | "light" | "dark";
export const themes: Theme[] = ["system", "light", "dark"];

const query = globalThis.matchMedia?.("(prefers-color-scheme: dark)"); // tests have none
const systemIsDark = signal(query?.matches ?? false);
query?.addEventListener("change", () => (systemIsDark.value = query.matches));

const stored = kept("atelier.theme") as Theme;
export const theme = signal<Theme>(themes.includes(stored) ? stored : "system");

/** Whether the colours are dark. */
export const isDark = computed(() => (theme.value === "system" ? systemIsDark.value : theme.value === "dark"));

/** Has the page follow the theme. */
export const startTheme = () =>
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    keep("atelier.theme", theme.value);
  });
