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
// implements its protocol. All were also rendered on a GPU, by ComfyUI 0.33.0, 0.25.0 and
// 0.7.0 together, with random weights: the quality of results, weights quantised otherwise
// than to FP8 and the encoding of MP3, H.264 and AAC by ComfyUI are not verified.
//
// What must always hold:
//
//   - The socket only notifies; the history decides. Frames may be lost,
//     doubled or late; how a prompt ended is read from /history, and whether it
//     still runs from /queue.
//   - A prompt that is in neither is gone, with ComfyUI's memory: the job is
//     dropped, so that it is tried again. An error of a node is a failure.
//   - A job that no instance can accept is given back, and does not count as tried.
//   - An instance that stops answering when it has the job, or files of it, may do so
//     because of the job: the job is dropped, and no other instance gets it at once.
//   - A machine in trouble (a full disk, a broken GPU) takes its instance out of service until a
//     small render works. No word that a customer may have written decides that.
//   - Of ComfyUI's output directory, the worker removes the files alone that it has named itself.
//   - What customers read names no address of an instance; the log and the state do.
//   - ComfyUI manages its memory. It is asked to free it only after it ran out of
//     memory, for one retry, and before a model that is known to run out beside another.
//   - The weights of a LoRA that ComfyUI reads have names that it knows: it skips others
//     and reports success.
//   - A job that ends early takes its prompt out of ComfyUI's queue.
//   - Files stream to disk; messages and answers are bounded.
package comfyui
