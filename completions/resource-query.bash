# SPDX-License-Identifier: Apache-2.0
# Bash completion of resource-query: options, the words that their values can be, and files.
# Needs nothing but bash.

# Completes the word with the prefix $1 from the rest of the arguments.
_resource_query_words() {
  local prefix=$1
  shift
  mapfile -t COMPREPLY < <(compgen -W "$*" -- "$prefix")
}

_resource_query_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# Completes the value $2 of option $1.
_resource_query_value() {
  case $1 in
    -L | --load-file | -o | --graph-output | -t | --test-output) _resource_query_files "$2" ;;
    -f | --load-format) _resource_query_words "$2" grug jgf jgf_shorthand rv1exec rv1exec_force hwloc ;;
    -S | --match-subsystems)
      local names='CA IBA IBBA PA PFS1BA VA C+IBA C+IBBA C+PA C+PFS1BA IB+IBBA C+P+IBA V+PFS1BA ALL'
      if [[ $2 == [a-z]* ]]; then names=${names,,}; fi
      _resource_query_words "$2" "$names"
      ;;
    -P | --match-policy)
      _resource_query_words "$2" first firstnodex low high lonode hinode lonodex hinodex locality \
        variation compact policy=high policy=low
      ;;
    -T | --traverser-policy) _resource_query_words "$2" simple flexible loop-aware ;;
    -F | --match-format)
      _resource_query_words "$2" simple pretty_simple jgf jgf_shorthand rlite rv1 rv1_nosched \
        rv1_shorthand
      ;;
    -g | --graph-format) _resource_query_words "$2" dot graphml ;;
    *) return 1 ;;
  esac
}

_resource_query() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # Bash takes "--option=value" for three words.
  if [[ $word == = ]]; then
    _resource_query_value "$before" ''
    return
  fi
  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  case $before in
    -W | --load-allowlist | -p | --prune-filters | -r | --reserve-vtx-vec) return ;;
  esac
  _resource_query_value "$before" "$word" && return
  if [[ $word == -[LfSPTFgot]?* ]]; then  # the value stands right behind a short option
    local option=${word:0:2} i
    _resource_query_value "$option" "${word:2}"
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=$option${COMPREPLY[i]}; done
    return
  fi
  if [[ $word == -* ]]; then
    _resource_query_words "$word" -h --help -e --elapse-time -d --disable-prompt -L -f -W -S -P -T \
      -F -p -g -o -t -r --load-file= --load-format= --load-allowlist= --match-subsystems= \
      --match-policy= --traverser-policy= --match-format= --prune-filters= --graph-format= \
      --graph-output= --test-output= --reserve-vtx-vec=
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  fi
}

complete -F _resource_query resource-query
