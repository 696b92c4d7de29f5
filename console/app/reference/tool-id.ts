// Where the reference has a tool.

export const toolId = (tool: { name: string }) => `tool-${tool.name}`;
