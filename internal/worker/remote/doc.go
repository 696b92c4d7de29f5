// Package remote renders with external services: those with the OpenAI images API,
// and those that queue renders and are polled for their status. Data describes the
// protocols of the latter.
//
// An adapter is a YAML file that says how to submit, poll, cancel and fetch: paths
// and bodies with slots for the arguments of a job, and JSON paths into the
// answers. Some are embedded; an operator writes others without Go.
//
// A server of the operator with the images API charges nothing. Its renders have no
// receipts, and one that is lost is made again.
//
// A vendor charges for renders, so these invariants are about what is known:
//
//   - The service has a receipt before a vendor is called, and another one as
//     soon as the vendor has returned its id. A job that comes with a receipt
//     is not submitted again, unless the vendor promises to recognise the same
//     idempotency key, which is made of the job and not of the attempt.
//   - A job fails only when the vendor reported its failure. A request without an answer, a
//     status that cannot be read, a worker that stops: the outcome is unknown, the
//     job keeps its hold, and a later attempt asks the vendor again.
//   - A job is dropped only when the vendor cannot have taken it.
//   - Keys come from the environment or from files. They are sent to the vendor's
//     own address alone, and are in no error, log or receipt.
//   - Results are read through the guarded client of the fetch package, bounded, and
//     must be what was ordered.
package remote
