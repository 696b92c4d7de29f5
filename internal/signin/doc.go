// Package signin asks OpenID providers who a person is: it sends browsers to a provider, and checks what they bring
// back. What the answer means for accounts is decided by package account.
//
// A sign-in is the authorization code flow with PKCE. State, nonce and verifier are sealed into a cookie of the browser
// that began it: any node finishes it, also after a restart, and no other browser can. A person is who has the subject
// of an issuer; an e-mail counts only where the provider says that it is verified.
//
// The description of a provider is read when it is first needed, kept for an hour, and read again then; a provider that
// does not answer gives an error in seconds and does not keep the service from starting. Its keys are read again when a
// token names one that is not known.
package signin
