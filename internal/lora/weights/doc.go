// Package weights judges whether a file is a LoRA that a family of models can load,
// from its header alone. It serves the file rules of personal LoRAs: standard low-rank
// weights in FP16, BF16 or FP32, of rank 128 or lower, for the model that the user
// chose.
//
// A LoRA changes layers of a model. For each it has two matrices, down of [rank,
// inputs] and up of [outputs, rank], and sometimes a scale, alpha. The trainers agree
// on that and differ in names, so a name is read in three parts, each from a table:
// a prefix (diffusion_model., lora_unet_), the path of the layer, with dots or with
// underscores for them, and a suffix (.lora_A.weight, .lora_down.weight, .alpha).
//
// The layers of each family are data, with the inputs and outputs that
// tell architectures with the same names apart. They are those of the published models
// and of their two sets of names, the original one, which ComfyUI and most trainers
// use, and the one of diffusers. Not known from a file are: which Qwen Image model it
// was made for, as all have the same layers; and which half of H3, unless it has
// the prefix transformer_ref. A user chooses the model, so both are accepted. The
// pruned H3 checkpoints have smaller inputs in one kind of layer; both sizes are
// accepted, because the header does not say which checkpoint a worker loads.
//
// The tables also know by which names ComfyUI loads the layers, so that a worker can rename
// the tensors of a file from any of the trainers.
//
// A family without a table, from a catalog that an operator extended, gets the rules
// that need none.
//
//atelier:sequential
package weights
