/**
 * Names one loading of a module in the addresses of its files. Node keeps a module for ever by its address, so a file is
 * loaded anew only under another one.
 */
const MARK = "plico";

export function withGeneration(url: string, generation: string): string {
  const marked = new URL(url);
  marked.searchParams.set(MARK, generation);
  return marked.href;
}

export function generationOf(url: string | undefined): string | undefined {
  if (url === undefined || !url.includes(`${MARK}=`) || !URL.canParse(url)) return undefined;
  return new URL(url).searchParams.get(MARK) ?? undefined;
}

/** A text of Node without our marks. */
export function withoutGenerations(text: string): string {
  return text.replaceAll(/[?&]plico=[0-9a-f]+/g, "");
}
