// Package cluster runs many nodes of the service as an operator would: the real
// program as three processes, a PostgreSQL with a standby that streams from it, three
// NATS servers, an S3 server, and a balancer that asks nodes whether they are ready. A
// scripted model server and scripted workers, which are processes too, do the work.
//
// Between a node and each server it uses there is a proxy, so that a test can cut off,
// stall or slow down one node alone. Load is what clients do meanwhile; it keeps an
// account of everything that was accepted, and Check holds the service to it: each
// workflow and run has ended as it should, no log has a gap or an event twice, every
// delivery came, and money was charged once for what was made and for nothing else.
//
// The tests run where ATELIER_TEST_CLUSTER is set: scripts/test-cluster does that, and
// starts or names the programs that are needed.
package cluster
