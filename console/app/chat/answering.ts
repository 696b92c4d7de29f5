// Who answers the next message of a conversation.

/**
 * The model that is asked next, where empty is the default, the first of the models; and the one that was chosen or has
 * answered last, where it is offered no more. Nothing is known before the models are read.
 */
export function answering(models: string[], chosen: string, last = ""): { model: string; gone?: string } {
  if (!models.length) return { model: chosen };
  if (chosen && !models.includes(chosen)) return { model: "", gone: chosen };
  return { model: chosen, gone: last && !chosen && !models.includes(last) ? last : undefined };
}
