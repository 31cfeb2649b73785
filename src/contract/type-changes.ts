/** What is not the same in two editions of a file of declarations, by the names of what is declared. */
export interface DeclarationChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export function declarationChanges(before: string, after: string): DeclarationChanges {
  const old = declaredIn(before);
  const now = declaredIn(after);
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].filter(([name, text]) => old.has(name) && old.get(name) !== text).map(([name]) => name),
  };
}

/** Operations by id, and other declarations by name. */
function declaredIn(text: string): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const part of text
    .replaceAll("\r\n", "\n")
    .split(/\n(?=(?:\/\*\*|export |const |function |async function |type |interface )[^\n]*)/)) {
    const [, name] = /^(?:export )?(?:async )?(?:interface|type|const|class|function\*?) (\w+)/m.exec(part) ?? [];
    if (name === undefined) continue;
    if (name === "Operations") for (const [id, body] of operationsIn(part)) declared.set(id, body);
    else declared.set(name, (declared.get(name) ?? "") + part.trim());
  }
  return declared;
}

function operationsIn(text: string): [string, string][] {
  return text
    .split(/\n(?= {2}"[\w-]+\.[^"\n]+": \{)/)
    .slice(1)
    .map((part) => [/"([^"]+)"/.exec(part)?.[1] ?? "", part.replace(/\n\}\s*$/, "").trim()]);
}
