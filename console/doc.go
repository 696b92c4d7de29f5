// Package console is the web console and the reference of the API: plain HTML, CSS
// and ES modules, embedded, with no build step and no requests to other services.
//
// pages/ holds what a browser sees. The pages themselves are at its top; what
// they load is in pages/console/, served under /console/, one file per noun. The
// reference is drawn in the browser from /openapi.json, so it is never older
// than the route table.
//
// Two rules keep it safe. Data becomes text nodes, never markup, and the
// Content-Security-Policy makes the browser enforce it. The API key of the signed-in
// account is kept in sessionStorage, which ends with the tab, and nowhere else.
package console
