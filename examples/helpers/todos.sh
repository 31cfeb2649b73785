#!/bin/sh
# A helper without Plico: it answers --schema, takes a flag, and prints helper-output.
if [ "$1" = --schema ]; then
  cat <<'JSON'
{
  "version": "1.0.0",
  "type": "query",
  "description": "How many lines of the files here say TODO.",
  "inputSchema": { "type": "object", "properties": { "word": { "type": "string" } } },
  "outputSchema": { "type": "object", "properties": { "count": { "type": "integer" } }, "required": ["count"] },
  "accepts": ["flags"]
}
JSON
  exit
fi

word=TODO
case $1 in --word=*) word=${1#--word=} ;; esac

count=$(cat -- * 2>/dev/null | grep -c -F -e "$word")
cat <<JSON
{
  "schema_version": "1.0.0",
  "status": "ok",
  "error": null,
  "agent": "unknown",
  "ts": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "count": $count
}
JSON
