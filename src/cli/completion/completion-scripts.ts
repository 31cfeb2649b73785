export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

// Each asks `plico completion words -- WORD…`, of which the last word is not finished. That answers a suggestion a line,
// with a tab before what it is about, or `:files`. What ends in `=` or `.` goes on without a blank.

/** Bash takes words apart at `=`, `:` and `@`, and puts in only what follows the last of them. */
const BASH = `_plico() {
  local i part line current breaks cut= rest=\${COMP_LINE:0:COMP_POINT} words=()
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
  breaks=\${COMP_WORDBREAKS//[!=:@]/}
  [[ -n $breaks ]] && cut=\${current%"\${current##*[$breaks]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    if [[ $line == :files ]]; then
      compopt -o default
      return
    fi
    [[ $line == *[=.] ]] && compopt -o nospace
    COMPREPLY+=("\${line#"$cut"}")
  done < <("$1" completion words -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _plico plico
`;

const ZSH = `#compdef plico
_plico() {
  local line word shown
  local -a ended open endedShown openShown
  for line in "\${(@f)$("\${words[1]}" completion words -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}"; do
    [[ -z $line ]] && continue
    if [[ $line == :files ]]; then
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
    set -l suggestions ($words[1] completion words -- $words[2..-1] (commandline -ct) 2>/dev/null)
    if test "$suggestions" = :files
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $suggestions
    end
end
complete -c plico -f -a '(__plico_suggestions)'
`;

/** What a shell runs to know how `plico` goes on. */
export const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
