// The state of a page that is kept in its address.

import { useLocation } from "preact-iso/router";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";

/** The parameters of the address, and a function that changes some of them. Empty ones are removed. */
export function useQuery(): [Record<string, string>, (change: Record<string, string | undefined>) => void] {
  const { query, route } = useLocation();
  const change = useCallback(
    (change: Record<string, string | undefined>) => {
      const params = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(change)) {
        if (value) params.set(name, value);
        else params.delete(name);
      }
      const text = params.toString();
      route(location.pathname + (text && "?" + text), true);
    },
    [route],
  );
  return [query, change];
}

/** Reports whether the window is narrower than the layout for desks. */
export function useNarrow(width = "60rem"): boolean {
  const media = useRef<MediaQueryList>();
  media.current ??= matchMedia(`(max-width: ${width})`);
  const [narrow, setNarrow] = useState(media.current.matches);
  useEffect(() => {
    const list = media.current!;
    const update = () => setNarrow(list.matches);
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, []);
  return narrow;
}

/** A function that calls another one at most once in a period, and once more for calls in between. */
export function useThrottled(run: () => void, ms: number): () => void {
  const current = useRef(run);
  current.current = run;
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const last = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    if (timer.current) return;
    timer.current = setTimeout(
      () => {
        timer.current = undefined;
        last.current = Date.now();
        current.current();
      },
      Math.max(0, last.current + ms - Date.now()),
    );
  }, [ms]);
}
