// Package ateliertest boots a whole service in a test and runs scenarios
// against it over HTTP.
//
// A scenario is a text file that reads like the specification. Paragraphs are
// separated by blank lines; # begins a comment. A paragraph is one of:
//
//	config limits.account_reads_per_minute: 3
//	    sets a key of the configuration; before the first request.
//
//	account alice --spark 12.5 --plan unlimited
//	    opens an account; the flags are those of "atelier account create".
//	    ${alice.wallet}, ${alice.key} and ${alice.token} then stand for its
//	    credentials.
//
//	plan alice unlimited active 2026-12-31T00:00:00Z
//	credit alice --svc 3
//	revoke alice
//	advance 3h
//	    change the world between requests; the last one moves the clock.
//
//	POST /v1/things?x=1 as alice
//	> Header: value
//	{"body": true}
//	=> 201
//	< Header: value
//	{"status": "success"}
//	    sends a request (as alice: with her key; as alice by token: with a
//	    session token) and checks the answer.
//
// An expected object lists the members that matter; the others may be there.
// Expected arrays are complete. The strings <any>, <string>, <number>,
// <boolean>, <uuid>, <time>, <absent>, <save NAME> and <match REGEXP> stand for
// values; a saved value is ${NAME} afterwards. A line that begins with | is a
// line of a text body.
//
// Every answer is also held against the service's own OpenAPI document.
package ateliertest
