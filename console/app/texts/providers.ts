// The texts of signing in with a provider.

export const text = {
  signInWith: (name: string) => `Sign in with ${name}`,
  invited: "You are invited to an account. Sign in to accept.",
  invitedWithKey: "You are invited to an account.",
  accept: "Accept with an API key",
  yourKey: "This is your API key, which is shown only here. Keep it: you sign in with it.",
  goOn: "I have kept it",
};
