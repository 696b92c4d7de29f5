import { choose } from "./choose";

export const text = choose({
  en: {
    title: "Account",
    wallet: "Wallet address",
    keys: "API keys",
    keysHelp: "A key acts for the whole account. Give each program its own, so that you can revoke it alone.",
    create: "Create a key",
    name: "Name",
    nameHelp: 'What uses it, for instance "render farm" or "laptop".',
    created: "Created",
    lastUsed: "Last use",
    never: "never",
    by: (application: string) => `by ${application}`,
    current: "this console",
    rename: "Rename",
    save: "Save",
    revoke: "Revoke",
    revokeTitle: (name: string) => `Revoke ${name}?`,
    isRevoked: (name: string) => `${name} is revoked.`,
    unnamed: "Unnamed key",
    revokeUsed: (when: string) =>
      `It was used ${when}. Programs and consoles that use it, and session tokens made with it, are refused at once. This cannot be undone.`,
    revokeUnused: "It was never used. This cannot be undone.",
    revokeCurrent: "This console is signed in with it, and you will be signed out.",
    newKey: "Your new key",
    newKeyHelp: "It is shown only now. Keep it where your program finds it.",
    saved: "I have saved it",
    tokens: "Session tokens",
    tokensHelp:
      "Short-lived credentials for browsers. They cannot start workflows or runs, and end with the key that made them: the one of this console.",
    lifetime: "Valid for",
    makeToken: "Create a token",
    token: "Token",
    until: "valid until",
    hours: (n: number) => (n === 1 ? "1 hour" : `${n} hours`),
    minutes: (n: number) => `${n} minutes`,
    plan: "Plan",
    usage: "Plan, balance and ledger are on the usage page.",
    sessions: "Sessions",
    sessionsOpen: (n: number) =>
      n === 0 ? "No console is signed in." : n === 1 ? "1 console is signed in." : `${n} consoles are signed in.`,
    sessionsHelp:
      "You are signed out after twelve hours in which this console is not used. If a device or a token is lost, end all sessions.",
    endAll: "End all sessions",
    endTitle: "End all sessions?",
    endText:
      "Every console that is signed in to this account, and every session token of it, is refused at once. API keys stay valid.",
    endCurrent: "You will be signed out here too. To sign in again you need an API key.",
  },
});
