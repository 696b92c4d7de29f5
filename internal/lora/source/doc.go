// Package source finds and downloads LoRA files on the hosting sites that users link to.
// It serves the section "Personal LoRAs" of the specification: which links are accepted,
// and what an import is pinned to.
//
// # From a link to a file
//
// Parse checks the form of a link and makes no request. Resolve asks the site which
// revision or version the link means now. The Pin that it returns names exactly one file
// permanently: it survives as JSON, and another process can continue with it. Open and
// Download read that file.
//
// # Sites
//
// A site has a kind, the host that its links have, and the base URL that is really read:
// the site itself, a mirror or a test server. The two kinds, huggingface and civitai, differ
// in the grammar of their links and in their JSON API, and in nothing else.
//
// # What always holds
//
//   - Every request goes through internal/fetch, to a configured base URL or, by a redirect
//     over HTTPS, to a host that the site is known to store its files on. An address that
//     is not on the public Internet is read only where a base URL names it.
//   - Every answer has a limit of size and time. A download that stays behind the least
//     rate is given up, however regularly bytes arrive.
//   - A file that is not what its site declares is refused: in its size, its checksum, its
//     encoding, or because it changed during the download.
//   - An error says whether a retry later may help (IsTransient), whether the site does not
//     give the file out (IsAccess) or whether the content was refused (IsRejected). Its text
//     is for users and contains no URL, which might be signed.
//
// This package reads bytes. It knows nothing of tensors, accounts, rows and objects.
package source
