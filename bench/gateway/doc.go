// Package gateway is what answers chat completions: the model server itself, the service in front of it, and the
// gateways that the service is compared with. It starts them, checks that they pass on what the model says, and has
// clients ask them.
package gateway
