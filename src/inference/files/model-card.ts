/**
 * The licence that a model's card (README.md) names in its front matter; null where it names none.
 *
 * @param card - the file's text; only its beginning is read
 */
export function licenceOfCard(card: string): string | null {
  const matter = /^\uFEFF?---\r?\n([\s\S]{0,20000}?)\r?\n---/.exec(card)?.[1];
  const named = (key: string) =>
    new RegExp(`^${key}:[ \\t]*["']?([^"'\\r\\n]{1,80}?)["']?[ \\t]*$`, "m").exec(matter ?? "")?.[1] ?? null;
  const licence = named("license");
  return licence === "other" ? (named("license_name") ?? licence) : licence;
}
