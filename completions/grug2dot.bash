# SPDX-License-Identifier: Apache-2.0
# Bash completion of grug2dot: options, recipes and folders.

_grug2dot() {
  local word=${COMP_WORDS[COMP_CWORD]} path
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-h --help -m --more' -- "$word")
    return
  fi
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    if [[ -d $path || $path == *.graphml || $path == *.xml ]]; then COMPREPLY+=("$path"); fi
  done < <(compgen -f -- "$word")
}

complete -F _grug2dot grug2dot
