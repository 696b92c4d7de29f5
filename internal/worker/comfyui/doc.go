// Package comfyui renders with ComfyUI: one worker for one or several running
// instances, over their HTTP and WebSocket API.
//
// How a model is rendered is data. A graph is a file in ComfyUI's API format, as
// its export writes it, and beside it a mapping says which models and tools it
// serves and where the arguments of a job go. The graphs of the catalog's native
// models are embedded; a directory of an operator adds to them and wins over them,
// without Go. At the start, at intervals and on demand the worker asks each instance
// for its nodes and its model files. It offers a model when an instance has everything
// that one of the model's graphs needs, and nothing while no instance answers.
//
// The embedded graphs use ComfyUI's core nodes and the file names under which the
// models are published for it. The tests run them against a fake ComfyUI, which
// implements its protocol. All were also rendered by ComfyUI 0.33.0 and 0.7.0 on a GPU,
// with random weights: the quality of pictures, quantised weights and the encoding of
// H.264 and AAC by ComfyUI are not verified.
//
// What must always hold:
//
//   - The socket only notifies; the history decides. Frames may be lost,
//     doubled or late; how a prompt ended is read from /history, and whether it
//     still runs from /queue.
//   - A prompt that is in neither is gone, with ComfyUI's memory: the job is
//     dropped, so that it is tried again. An error of a node is a failure.
//   - A job that no instance can accept is given back, and one whose instance does not
//     come back; neither has failed.
//   - ComfyUI manages its memory. It is asked to free it only after it ran out of
//     memory, for one retry, and before a model that is known to run out beside another.
//   - A job that ends early takes its prompt out of ComfyUI's queue.
//   - Files stream to disk; messages and answers are bounded.
package comfyui
