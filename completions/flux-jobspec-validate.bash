# SPDX-License-Identifier: Apache-2.0
# Bash completion of flux-jobspec-validate: options, jobspecs and folders.

_flux_jobspec_validate() {
  local word=${COMP_WORDS[COMP_CWORD]} path
  COMPREPLY=()
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '-q --quiet -h --help -V --version' -- "$word")
    return
  fi
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    if [[ -d $path || $path == *.@(yaml|yml|json|jobspec) ]]; then COMPREPLY+=("$path"); fi
  done < <(compgen -f -- "$word")
}

complete -F _flux_jobspec_validate flux-jobspec-validate
