// Texts in the language of the browser. A module of texts exports choose({ en: {…} });
// another language is another property, with the same names.

/** The texts of the first language that the browser prefers, English otherwise. */
export function choose<T>(languages: { en: T } & Record<string, T>): T {
  for (const preferred of globalThis.navigator?.languages ?? []) {
    // tests may have no navigator
    const texts = languages[preferred.split("-")[0]];
    if (texts) return texts;
  }
  return languages.en;
}
