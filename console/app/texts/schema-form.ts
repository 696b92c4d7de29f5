import { choose } from "./choose";

export const text = choose({
  en: {
    more: "More settings",
    defaultIs: (value: string) => `Default: ${value}`,
    byModel: "Automatic",
    yes: "Yes",
    no: "No",
    add: (what: string) => `Add to ${what.toLowerCase()}`,
    remove: (what: string, n: number) => `Remove ${what.toLowerCase()} ${n}`,
    entry: (what: string, n: number) => `${what} ${n}`,
    range: (min: number, max: number, unit: string) => `${min} to ${max}${unit && ` ${unit}`}`,
    json: "JSON",
    problems: {
      required: "Fill this in.",
      number: "This must be a number.",
      whole: "This must be a whole number.",
      between: (min: number, max: number) => `This must be between ${min} and ${max}.`,
      atLeast: (min: number) => `This must be at least ${min}.`,
      atMost: (max: number) => `This must be at most ${max}.`,
      longest: (max: number) => `This must have at most ${max} characters.`,
      pattern: (hint: string) => `This must be ${hint}.`,
      format: "This has another form.",
      fewest: (min: number) => `This needs at least ${min === 1 ? "one entry" : `${min} entries`}.`,
      most: (max: number) => `This takes at most ${max} entries.`,
      choice: "Choose one of the values.",
      json: "This is not valid JSON.",
    },
  },
});
