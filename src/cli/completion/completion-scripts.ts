export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

// Each asks `plico completion words -- WORD…`, of which the last word is not finished. That answers a suggestion a line,
// with a tab before what it is about, or `:files`, with a tab before what stands in front of the name in the same word.
// What ends in `=` or `.` goes on without a blank.

/** Bash takes words apart at `=`, `:` and `@`, and puts in only what follows: the place of $2, which may begin with `@`. */
const BASH = `_plico() {
  local i part line current cut rest=\${COMP_LINE:0:COMP_POINT} words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if [[ i -eq 0 || $rest == [[:space:]]* ]]; then
      rest=\${rest#"\${rest%%[![:space:]]*}"}
      words+=("")
    fi
    part=\${COMP_WORDS[i]}
    [[ i -eq COMP_CWORD ]] && part=$rest
    words[\${#words[@]} - 1]+=$part
    rest=\${rest#"$part"}
  done
  current=\${words[\${#words[@]} - 1]}
  cut=\${current%"$2"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files* ]]; then
      line=\${line#:files}
      _plico_files "\${line#$'\\t'}" "$current" "$2"
      return
    fi
    line=\${line%%$'\\t'*}
    [[ $line == *[=.] ]] && compopt -o nospace
    COMPREPLY+=("\${line#"$cut"}")
  done < <("$1" completion words -- "\${words[@]:1}" 2>/dev/null)
}
_plico_files() {
  local file name=\${2#"$1"} cut=\${2%"$3"}
  compopt -o default
  [[ $name == "$3" ]] && return
  while IFS= read -r file; do
    [[ -d $file ]] && compopt -o nospace && file+=/
    printf -v file '%s%q' "$1" "$file"
    COMPREPLY+=("\${file#"$cut"}")
  done < <(compgen -f -- "$name")
}
complete -F _plico plico
`;

const ZSH = `#compdef plico
_plico() {
  local line word shown
  local -a ended open endedShown openShown
  for line in "\${(@f)$("\${words[1]}" completion words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == :files* ]]; then
      word=\${\${line#:files}#$'\\t'}
      IPREFIX+=$word
      PREFIX=\${PREFIX#"$word"}
      _files
      return
    fi
    word=\${line%%$'\\t'*}
    shown=$word
    [[ $line == *$'\\t'* ]] && shown="$word  -- \${line#*$'\\t'}"
    if [[ $word == *[=.] ]]; then
      open+=("$word")
      openShown+=("$shown")
    else
      ended+=("$word")
      endedShown+=("$shown")
    fi
  done
  (( \${#ended} )) && compadd -l -d endedShown -a ended
  (( \${#open} )) && compadd -l -S '' -d openShown -a open
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _plico "$@"
else
  compdef _plico plico
fi
`;

const FISH = `function __plico_suggestions
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l suggestions ($words[1] completion words -- $words[2..-1] "$token" 2>/dev/null)
    if string match -q ':files*' -- "$suggestions[1]"
        set -l before (string replace -r '^:files\\t?' '' -- "$suggestions[1]")
        set -l name (string sub -s (math (string length -- "$before") + 1) -- "$token")
        printf '%s\\n' "$before"(__fish_complete_path "$name")
    else
        printf '%s\\n' $suggestions
    end
end
complete -c plico -f -a '(__plico_suggestions)'
`;

/** What a shell runs to know how `plico` goes on. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
