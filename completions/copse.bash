# SPDX-License-Identifier: Apache-2.0
# Bash completion of copse: commands, options, the words that their values can be, and files.
# Needs nothing but bash.

# Completes the word $1 from the rest of the arguments.
_copse_words() {
  local prefix=$1
  shift
  mapfile -t COMPREPLY < <(compgen -W "$*" -- "$prefix")
}

_copse_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

# Completes the value $3 of option $2 of command $1; fails if the option takes none.
_copse_value() {
  if [[ $1 == jobs ]]; then
    case $2 in
      --state) _copse_words "$3" pending planned running ended; return ;;
      -o | --format | -u | --user | -q | --queue) return ;;
    esac
  fi
  case $2 in
    --server) _copse_files "$3" ;;
    -L | --load-file | --restore | --save | --effects | --running | --hres | --after | -o | --output | --gantt | --page | --trace | --events | --jobs-csv | --write-jobs | --token-file | --ca | --cert | --key | --tls-cert | --tls-key | --tls-client-ca) _copse_files "$3" ;;
    -f | --load-format) _copse_words "$3" grug jgf jgf_shorthand rv1exec hwloc sched_status slurm_conf slurm_nodes ;;
    -S | --subsystem) _copse_words "$3" containment ibnet ibnetbw power pfs1bw virtual1 ;;
    -P | --match-policy)
      _copse_words "$3" compact first firstnodex low high lonode hinode lonodex hinodex locality variation \
        policy=high policy=low
      ;;
    -T | --traverser-policy) _copse_words "$3" simple flexible loop-aware ;;
    -F | --match-format)
      if [[ $1 == session ]]; then
        _copse_words "$3" rv1 rv1_nosched rv1_shorthand
        return
      fi
      local formats='simple pretty_simple jgf jgf_shorthand rlite rv1 rv1_nosched rv1_shorthand'
      if [[ $1 != find ]]; then formats="short $formats"; fi
      _copse_words "$3" $formats
      ;;
    --hres-layer-order) _copse_words "$3" count file ;;
    -t | --to) _copse_words "$3" jgf r rv1 rlite simple pretty_simple dot graphml svg ;;
    --from) _copse_words "$3" sacct flux swf ;;
    --priority) _copse_words "$3" fifo smallest largest age fair-share multifactor ;;
    -d | --discipline | --compare) _copse_words "$3" fcfs easy hybrid conservative ;;
    -W | --load-allowlist | -p | --prune-filters | --down | --shape | --duration | --constraint | --now | --generate | --offered-load | \
      --seed | --generated-users | --generated-queues | --processors-per-node | --hres-request | --at | --until | --why) ;;
    *) return 1 ;;
  esac
}

# Completes a word of "copse r COMMAND": the word $1, the one before it $2, the command $3.
_copse_r() {
  case $2 in
    -f | --xml | -I | --input) _copse_files "$1"; return ;;
    -c | --count)
      if [[ $3 == decode ]]; then _copse_words "$1" node core gpu; fi
      return
      ;;
    -m | --mode)
      _copse_words "$1" strict allow-extra allow-missing ignore hostname=ignore core=ignore gpu=ignore
      return
      ;;
    -r | --ranks)
      if [[ $3 == encode || $3 == from-hwloc ]]; then return; fi
      ;;
    --cores | -g | --gpus | -H | --hosts | -p | --property | --properties | -i | --include | -x | --exclude) return ;;
  esac
  if [[ $1 != -* ]]; then
    case $3 in
      rerank | set-property | encode) ;;
      *) _copse_files "$1" ;;
    esac
    return
  fi
  case $3 in
    encode) _copse_words "$1" -h --help -r --ranks -c --cores -g --gpus -H --hosts -p --property -f --xml -l --local ;;
    decode) _copse_words "$1" -h --help -s --short -n --nodelist -r --ranks -c --count -i --include -x --exclude -p --properties ;;
    info) _copse_words "$1" -h --help --json ;;
    verify) _copse_words "$1" -h --help -m --mode ;;
    remap) _copse_words "$1" -h --help --keep-ids ;;
    normalize) _copse_words "$1" -h --help --hosts --keep-ids ;;
    rerank | set-property) _copse_words "$1" -h --help -I --input ;;
    from-hwloc) _copse_words "$1" -h --help -r --ranks -H --hosts ;;
    *) _copse_words "$1" -h --help ;;
  esac
}

_copse() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _copse_words "$word" match info convert show find status plan session serve state token submit jobs why when cancel end hold release priority wait watch nodes \
      drain undrain reserve reservation run flux replay supply jobspec r --help --version
    return
  fi
  # Bash takes "--option=value" for three words.
  if [[ $word == = ]]; then word='' before=${COMP_WORDS[COMP_CWORD - 1]}; fi
  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [[ $command == r ]]; then
    if ((COMP_CWORD == 2)); then
      _copse_words "$word" encode decode info append diff intersect remap rerank normalize set-property verify \
        validate from-hwloc parse-config --help
    else
      _copse_r "$word" "$before" "${COMP_WORDS[2]}"
    fi
    return
  fi
  if [[ $command != jobspec ]] && _copse_value "$command" "$before" "$word"; then return; fi

  local machine='-h --help -L --load-file -f --load-format -W --load-allowlist -S --subsystem -q --quiet'
  local engine='-P --match-policy -T --traverser-policy -p --prune-filters --auxiliary --running --strict --now --down --hres --hres-layer-order'
  local client='-h --help --server --token-file --ca --cert --key'
  local asked='--shape --duration --constraint --hres-request -n --name -q --queue --priority --reservation'
  if [[ $word == -* ]]; then
    case $command in
      match)
        _copse_words "$word" "$machine" "$engine" -F --match-format --shape --duration --constraint --reserve --satisfiability \
          --explain --json --hres-request --reservations
        ;;
      info) _copse_words "$word" "$machine" --json ;;
      convert) _copse_words "$word" "$machine" -t --to -o --output ;;
      show) _copse_words "$word" "$machine" "$engine" -o --output --page ;;
      status) _copse_words "$word" "$machine" "$engine" --json --reservations ;;
      find) _copse_words "$word" "$machine" "$engine" -F --match-format ;;
      plan)
        _copse_words "$word" "$machine" "$engine" -d --discipline --compare --from --processors-per-node --trace-fields --generate --offered-load --seed \
          --generated-users --generated-queues \
          --write-jobs -o --output --summary --table --gantt --page --page-at --trace --jobs-csv --hres-request --reservations --events --queues --priority \
          --why --what-if
        ;;
      session)
        _copse_words "$word" "$machine" "$engine" -F --match-format --treepool-memory --restore --save --effects
        ;;
      serve)
        _copse_words "$word" "$machine" "$engine" -F --match-format -d --discipline --queues --state --socket --listen --tls-cert --tls-key --tls-client-ca \
          --everybody --anonymous --audit --config --clients --client-mebibytes --jobs --jobs-of-user --planned-of-user --snapshot-changes --check
        ;;
      state) _copse_words "$word" -h --help ;;
      token) _copse_words "$word" -h --help --role --state ;;
      flux) _copse_words "$word" -h --help --json --service ;;
      submit) _copse_words "$word" "$asked" "$client" --json -H --hold --lease --id ;;
      run) _copse_words "$word" "$asked" "$client" --lease --no-binding --quiet -- ;;
      reserve)
        _copse_words "$word" "$client" --json --shape --duration --constraint --hres-request --id
        ;;
      reservation)
        _copse_words "$word" "$client" --json --nodes --shape --constraint --at --duration --repeat --count --until --users --nobody \
          --dry-run
        ;;
      jobs)
        _copse_words "$word" "$client" --json -a --all --state -u --user -q --queue -o --format --no-header
        ;;
      nodes) _copse_words "$word" "$client" --json -l --long -R --list-reasons ;;
      drain) _copse_words "$word" "$client" --json -r --reason ;;
      cancel | hold | release) _copse_words "$word" "$client" --json -u --user -q --queue --state ;;
      priority) _copse_words "$word" "$client" --json --to -u --user -q --queue --state ;;
      why | when | end | wait | watch | undrain)
        _copse_words "$word" "$client" --json
        ;;
      replay) _copse_words "$word" -h --help --until --list --save ;;
      supply) _copse_words "$word" "$machine" "$engine" --json --svg --after --at -o --output ;;
      jobspec) _copse_words "$word" -h --help -q --quiet ;;
    esac
    return
  fi
  case $command in
    match | plan | submit | reserve | run) _copse_files "$word" ;;
    find)
      _copse_words "$word" status=up status=down sched-now=allocated sched-now=free \
        sched-future=reserved sched-future=free names= property= jobid-alloc= jobid-reserved= jobid-tag=
      if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
      ;;
    state)
      if ((COMP_CWORD == 2)); then _copse_words "$word" check dump compact; else _copse_files "$word"; fi
      ;;
    flux)
      if ((COMP_CWORD == 2)); then _copse_words "$word" why when layers set-layer; fi
      ;;
    reservation)
      if ((COMP_CWORD == 2)); then _copse_words "$word" add list end; fi
      ;;
    token)
      if ((COMP_CWORD == 2)); then _copse_words "$word" add list revoke; else _copse_files "$word"; fi
      ;;
    jobspec)
      if ((COMP_CWORD == 2)); then _copse_words "$word" validate expand; else _copse_files "$word"; fi
      ;;
  esac
}

complete -F _copse copse
