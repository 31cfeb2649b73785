/** The names by which APIs ask for another page: the surer one comes first. */
const NAMES: readonly string[] = [
  ...["cursor", "page_token", "pagetoken", "next_token", "nexttoken", "next_page_token", "continuation_token"],
  ...["continuationtoken", "continuation", "continue", "$skiptoken", "skiptoken", "page[cursor]", "page[after]"],
  ...["page_cursor", "starting_after", "start_after", "after", "id_after", "marker", "bookmark", "scroll_id"],
  ...["page[number]", "page", "page_number", "pagenumber", "_page", "page[offset]", "offset", "start", "startat"],
  ...["start_at", "startindex", "start_index", "$skip", "skip", "_start", "since_id", "since", "max_id", "before"],
  ...["id_before", "until"],
];

/**
 * What to ask with to get the page at an address: the value of that parameter which the request did not have so, or the
 * address itself where none of them is known to turn pages.
 */
export function cursorFromAddress(address: string, requestQuery: string): string {
  const asked = new URLSearchParams(requestQuery);
  const changed = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(queryOf(address))) {
    if (value !== "" && !asked.getAll(name).includes(value)) changed.set(name.toLowerCase(), value);
  }
  const name = NAMES.find((candidate) => changed.has(candidate));
  return name === undefined ? address : (changed.get(name) ?? address);
}

function queryOf(address: string): string {
  const [withoutFragment = ""] = address.split("#", 1);
  const at = withoutFragment.indexOf("?");
  return at < 0 ? "" : withoutFragment.slice(at + 1);
}
