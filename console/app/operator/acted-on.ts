// What an action of an operator was done to, where it is no account.

/** The name of the connection: the service writes "kind name at address" about those. */
export const connectionOf = ({ action, detail }: { action: string; detail: string }) =>
  action.endsWith(" connection") ? /^\S+ (.+) at \S+$/.exec(detail)?.[1] : undefined;
