// The areas of the operator's pages, and where each begins.

export const areas = [
  "health",
  "accounts",
  "jobs",
  "failures",
  "workers",
  "connections",
  "graphs",
  "review",
  "actions",
];

/** The areas where operators decide, and the one where they see what was decided by comparing; together they are one. */
export const decisions = ["unresolved", "claims", "loras", "filter", "spot-checks"];

const places: Record<string, string> = { health: "/operator", review: `/operator/${decisions[0]}` };

export const areaPath = (area: string) => places[area] ?? `/operator/${area}`;
