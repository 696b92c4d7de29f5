// Package compat holds the tests that run github.com/openai/openai-go, as it is
// published, against the built program. The tests for JavaScript are in
// compat/js; both talk to a server that scripts/with-server has started, with
// the model of the command upstream behind it.
//
// It is a separate module, so that the service does not depend on the SDK.
package compat
