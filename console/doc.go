// Package console is the web console and the reference of the API: a Preact application
// over the public API, embedded, with no requests to other services.
//
// app/ has its sources: routes.tsx names the pages, pages/ has one module for each, parts/
// what they share, texts/ every text that a person meets, style/ the styles.
// third_party/ has the libraries, at the versions of its package.json. build/ bundles
// both into pages/console/, which is committed, so that the service builds with Go
// alone; "make console" does it, and "make test" compares. test/ drives the console in a
// real browser.
//
// Three rules keep it safe. Data becomes text nodes, never markup, and the
// Content-Security-Policy makes the browser enforce it. The API key stays with the service:
// the browser has a cookie that scripts cannot read, and a token that counts only together
// with the cookie. Nothing is loaded from other origins but media from the storage.
//
//atelier:sequential
package console
