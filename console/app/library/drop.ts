// Files that come to the library by a drop or from the clipboard, on any of its tabs.

import { useLocation } from "preact-iso/router";
import { useState } from "preact/hooks";
import { useFiles } from "../hooks";
import { toast } from "../parts/toast";
import { text } from "../texts/library";
import { isDragged } from "./drag";
import { sortFiles } from "./files";

/** Files for a tab, which takes them once. */
export interface Arrived {
  files: File[];
  take: () => File[];
}

const none: File[] = [];

/** Takes files on every tab of the library, and opens the tab that they belong to. */
export function useDropped(tab: string) {
  const { route } = useLocation();
  const [arrived, setArrived] = useState<{ tab?: string; files: File[] }>({ files: none });
  const dragging = useFiles((files) => {
    if (document.querySelector("dialog[open]")) return; // which asks about files before them
    const sorted = sortFiles(files);
    if (sorted.others.length) toast(text.notTaken(sorted.others.map((file) => file.name)), { tone: "bad" });
    if (!sorted.tab) return;
    setArrived({ tab: sorted.tab, files: sorted.taken });
    if (sorted.tab !== tab) route(`/library?tab=${sorted.tab}`);
  }, isDragged);
  const forTab = (name: string): Arrived => ({
    files: arrived.tab === name ? arrived.files : none,
    take: () => {
      setArrived({ files: none });
      return arrived.files;
    },
  });
  return { dragging, forTab };
}
