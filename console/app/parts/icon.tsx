// The icons: strokes on a grid of 24, drawn for the console.

const paths = {
  create: "M4 20l4-1L19 8l-3-3L5 16l-1 4M14 7l3 3",
  chat: "M4 5h16v11H9l-5 4V5M8 9h8M8 12h5",
  template: "M4 4h7v7H4zM13 13h7v7h-7zM13 4h7v5h-7zM4 15h7v5H4z",
  workflow: "M5 4h5v5H5zM14 10h5v5h-5zM5 15h5v5H5zM10 6.500h4v6M10 17.500h4v-5",
  library: "M4 5h16v14H4zM4 15l5-5 4 4 3-3 4 4M15.500 8.500h.01",
  model: "M12 3l8 4.500v9L12 21l-8-4.500v-9L12 3M4 7.500l8 4.500 8-4.500M12 12v9",
  network:
    "M12 8a2 2 0 100-4 2 2 0 000 4M5 20a2 2 0 100-4 2 2 0 000 4M19 20a2 2 0 100-4 2 2 0 000 4M11 8l-5 8M13 8l5 8M7 18h10",
  usage: "M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6",
  key: "M8 15a4 4 0 110-8 4 4 0 010 8M12 11h9v4M17 11v3",
  operator: "M4 7h10M18 7h2M4 17h2M10 17h10M14 5v4h4V5zM6 15v4h4v-4z",
  docs: "M6 3h9l4 4v14H6zM15 3v4h4M9 12h7M9 16h7",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  list: "M4 6h16M4 12h16M4 18h10",
  compare: "M12 3v18M4 6h5v12H4M15 6h5v12h-5",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  again: "M19 12a7 7 0 11-2-5l2 2M19 4v5h-5",
  vary: "M4 8h4l8 8h4M4 16h4l2-2M14 10l2-2h4M18 6l2 2-2 2M18 14l2 2-2 2",
  image: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4",
  video: "M4 6h11v12H4zM15 10l5-3v10l-5-3",
  audio: "M9 18a2.500 2.500 0 11-5 0 2.500 2.500 0 015 0M20 16a2.500 2.500 0 11-5 0 2.500 2.500 0 015 0M9 18V6l11-2v12",
  cube: "M12 3l8 4.500v9L12 21l-8-4.500v-9L12 3M4 7.500l8 4.500 8-4.500M12 12v9",
  play: "M8 5l11 7-11 7z",
  stop: "M7 7h10v10H7z",
  check: "M5 13l4 4L19 7",
  warning: "M12 4l9 16H3L12 4M12 10v4M12 17h.01",
  search: "M11 18a7 7 0 110-14 7 7 0 010 14M20 20l-4-4",
  filter: "M4 5h16l-6 8v6l-4-2v-4z",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  down: "M5 9l7 7 7-7",
  up: "M5 15l7-7 7 7",
  undo: "M9 6L4 11l5 5M4 11h10a6 6 0 016 6v1",
  redo: "M15 6l5 5-5 5M20 11H10a6 6 0 00-6 6v1",
  edit: "M4 20l4-1L19 8l-3-3L5 16l-1 4",
  send: "M4 12l16-8-6 16-3-6-7-2",
  attach: "M18 9l-8 8a3 3 0 01-4-4l9-9a4.500 4.500 0 016 6l-9 9",
  star: "M12 4l2.500 5.200 5.500.800-4 4 1 5.600-5-2.700-5 2.700 1-5.600-4-4 5.500-.800z",
  board: "M4 6h6l2 2h8v11H4z",
  tag: "M4 4h8l8 8-8 8-8-8zM8.500 8.500h.01",
  info: "M12 21a9 9 0 100-18 9 9 0 000 18M12 11v5M12 8h.01",
  reference: "M10 14a4 4 0 006 0l4-4a4 4 0 00-6-6l-1 1M14 10a4 4 0 00-6 0l-4 4a4 4 0 006 6l1-1",
} as const;

export type IconName = keyof typeof paths;

/** An icon. It is decoration: what it stands beside, or its button, has the name. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round">
      <path d={paths[name]} />
    </svg>
  );
}

/** A button that has an icon in place of a text. */
export function IconButton({
  icon,
  size = 16,
  label,
  ...rest
}: {
  icon: IconName;
  size?: number;
  label: string;
  id?: string;
  title?: string;
  disabled?: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" class="icon-button" aria-label={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}

export const kindIcon = (kind: string): IconName =>
  kind === "video"
    ? "video"
    : kind === "audio" || kind === "music" || kind === "speech"
      ? "audio"
      : kind === "image"
        ? "image"
        : kind === "json" || kind === "text"
          ? "docs"
          : "cube";
