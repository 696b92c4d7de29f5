// Package fetch reads media and files from addresses that callers name, and sends events to them. It is the
// only package that does: otherwise a caller could make the service read addresses
// that only the service can reach.
//
// # What a Client refuses
//
//   - Anything but http and https, and addresses with a user or password.
//   - Machines that are not on the public Internet, unless the operator allows
//     them: private, loopback, link-local, shared (CGNAT), multicast, reserved
//     and documentation addresses, the metadata services of clouds, and IPv6
//     addresses that carry such an IPv4 address inside. The check is made on
//     the very address that is dialled, for every connection and so after every
//     redirect: a name that resolves to another address the second time is
//     checked again.
//   - With Options.Allow, every address that it does not allow. Options.PrivateHosts
//     are then the only machines that may be private.
//   - Content beyond a size, answers that take too long or stall, compressed
//     answers, more than a few redirects.
//
// Get reads all of the content of an address. Open reads a part of it, and leaves
// it to the caller what a status means.
//
// A request with content to send (Request.Post) is made once and never redirected.
//
// It sends no cookies, no credentials and no referrer, and uses no proxy.
//
// Its errors are shown to the caller who named the address. They contain its host
// and never the rest of the URL, which may be a secret.
package fetch
