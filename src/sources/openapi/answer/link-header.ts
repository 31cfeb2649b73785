export interface WebLink {
  readonly target: string;
  /** In lower case. */
  readonly relations: readonly string[];
}

/** Headers are bounded by whoever reads them; this bounds what is made of one. */
const MOST_LINKS = 100;

/** The links of a `Link` header (RFC 8288). What is no link is passed over. */
export function linksIn(header: string | undefined): WebLink[] {
  const links: WebLink[] = [];
  let rest = header ?? "";
  while (links.length < MOST_LINKS) {
    const open = rest.indexOf("<");
    const close = rest.indexOf(">", open);
    if (open < 0 || close < 0) return links;
    const target = rest.slice(open + 1, close).trim();
    const { relations, end } = relationsIn(rest.slice(close + 1));
    links.push({ target, relations });
    rest = rest.slice(close + 1 + end);
  }
  return links;
}

const PARAMETER = /\s*;\s*([^\s=;,<"]*)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,<"]*)))?/y;

/** Only the first `rel` of a link counts. */
function relationsIn(text: string): { relations: string[]; end: number } {
  let relations: string[] | undefined;
  let end = 0;
  PARAMETER.lastIndex = 0;
  for (let match = PARAMETER.exec(text); match !== null; match = PARAMETER.exec(text)) {
    const [, name = "", quoted, token = ""] = match;
    end = PARAMETER.lastIndex;
    if (name.toLowerCase() !== "rel") continue;
    const value = quoted === undefined ? token : quoted.replaceAll(/\\(.)/g, "$1");
    relations ??= value
      .toLowerCase()
      .split(/\s+/)
      .filter((relation) => relation !== "");
  }
  return { relations: relations ?? [], end };
}

export function targetOf(links: readonly WebLink[], relation: string): string | undefined {
  return links.find(({ relations }) => relations.includes(relation))?.target;
}
