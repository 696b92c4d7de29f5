// Package wire reads requests by declaration. A request is a struct whose tags declare the name of each field, its
// aliases and its allowed values; this package turns a JSON body or a query string into that struct, or into an
// *atelier.Error that names the field by its path.
//
//	type startRequest struct {
//		Title string   `wire:"title,maxlen=200"`
//		Steps []step   `wire:"steps,required,minlen=1,maxlen=12"`
//		Token string   `wire:"token_type,enum=spark|svc|auto,default=auto"`
//		App   string   `wire:"app_source,truncate=128,header=X-App-Source"`
//	}
//
// A route chooses the NamePolicy by which names are read: Strict, AnyCase or Lenient.
//
// The tag's options are: required; alias=NAME (repeatable); default=VALUE;
// min, max (numbers); minlen, maxlen (characters of a string, items of an
// array); enum=A|B; fallback (an unlisted enum value becomes the default);
// clamp (a number outside its bounds is moved to the bound); truncate=N;
// header=NAME (read from this header when the body has none); names=POLICY
// (the name policy of an object, when it differs from the request's); extra (a
// map[string]Raw that keeps undeclared names); maxbytes=N (of JSON
// without a fixed shape). The tag doc:"…" describes the field in the OpenAPI
// document, and example:"…" shows a value of a query parameter there. A type that
// is Exampled shows a valid value of itself, to readers of the document and to
// callers who send something else.
//
// Everything has a bound, also where the tag gives none (bound.go): a string, the
// items of an array and of a map, and the bytes and values of JSON without a fixed
// shape, which takes many times its length once it is read. It is counted before
// it is read, so that a request never costs more than it may. A body as a whole
// holds at most MaxValues values; a Meter measures it while it arrives. Raw values
// are parts of the body and not copies.
//
// JSON null counts as absent, except for Opt, which distinguishes absent, null and
// a value, for PATCH. Invalid UTF-8, duplicate keys, trailing data, nesting beyond
// MaxDepth and the character NUL, which not every database can hold, are refused
// wherever they are, also in what is kept as it was written.
//
// It wraps the JSON library that engines and the API use. It uses Error of the root
// package and knows nothing of HTTP beyond url.Values and http.Header.
//
//atelier:sequential
package wire
