// Package test drives the console in a real browser, against a real service: it starts
// the program that ATELIER_TEST_PROGRAM names and Chromium, and does what people do.
//
// It is a separate module, so that the library that speaks with the browser is
// compiled only for these tests. Without the program or a browser the tests are
// skipped; scripts/check makes sure that both are there. With -short, one test
// passes through all pages.
package test
