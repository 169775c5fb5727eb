# Completion of steno for bash. A key such as agent:main:main is several words to readline.
_steno() {
  local cur words cword line
  if declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref -n : cur words cword
  else
    cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
  fi
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
    steno complete -- "${words[@]:1:cword}" 2>/dev/null)
  declare -F __ltrim_colon_completions >/dev/null && __ltrim_colon_completions "$cur"
}
complete -o default -F _steno steno
