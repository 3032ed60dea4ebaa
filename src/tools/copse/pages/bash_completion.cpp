// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/pages/bash_completion.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace copse::pages {

namespace {

// The beginning of each completion; "@p" is the program, and "@f" its name as a function.
constexpr const char* kBegin = R"BASH(# SPDX-License-Identifier: Apache-2.0
# Bash completion of @p, made from its option table.

# Completes $1 from the other arguments, in lower case where it begins so.
_@f_words() {
  local prefix=$1 words
  shift
  words="$*"
  if [[ $prefix == [a-z]* && $words == "${words^^}" ]]; then words=${words,,}; fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$prefix")
}

# Completes the last word of the list $1, which is separated by commas.
_@f_list() {
  local list=$1 last=${1##*,}
  shift
  mapfile -t COMPREPLY < <(compgen -P "${list%"$last"}" -W "$*" -- "$last")
}

# Completes the file $1; the other arguments are its endings.
_@f_files() {
  local prefix=$1 path ending
  shift
  compopt -o filenames 2>/dev/null
  while IFS= read -r path; do
    if (($# == 0)) || [[ -d $path ]]; then
      COMPREPLY+=("$path")
    else
      for ending; do
        if [[ $path == *"$ending" ]]; then COMPREPLY+=("$path"); fi
      done
    fi
  done < <(compgen -f -- "$prefix")
}
)BASH";

constexpr const char* kEnd = R"BASH(
_@f() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command='' REPLY i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      _@f_files "$word"
      return
    fi
  done
  for ((i = 1;; ++i)); do
    _@f_commands "$command" || break
    if ((i >= COMP_CWORD)); then
      local commands=$REPLY
      _@f_options "$command"
      _@f_words "$word" $commands $REPLY
      return
    fi
    command=${command:+$command }${COMP_WORDS[i]}
  done
  # Bash takes "--option=value" for three words.
  if [[ $word == = ]]; then
    _@f_value "$command" "$before" ''
    return
  fi
  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  if _@f_value "$command" "$before" "$word"; then return; fi
  # The value of a short option may follow without a blank.
  if [[ $word == -[A-Za-z]?* ]] && _@f_value "$command" "${word:0:2}" "${word:2}"; then
    for i in "${!COMPREPLY[@]}"; do COMPREPLY[i]=${word:0:2}${COMPREPLY[i]}; done
    return
  fi
  if [[ $word == -* ]]; then
    _@f_options "$command"
    _@f_words "$word" $REPLY
  else
    _@f_argument "$command" "$word"
  fi
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}

complete -F _@f @p
)BASH";

std::string filled(std::string text, const OptionTable& table) {
  std::string function = table.program;
  std::ranges::replace(function, '-', '_');
  for (const auto& [mark, name] : {std::pair{"@f", function}, std::pair{"@p", table.program}}) {
    for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; at += name.size()) {
      text.replace(at, 2, name);
    }
  }
  return text;
}

bool is_path(const OptionRow& row) {
  return row.kind == ValueKind::input_file || row.kind == ValueKind::output_file ||
         row.unit.find("DIR") != row.unit.npos || row.unit.find("PATH") != row.unit.npos;
}

// The command that completes a value, behind the name of the program's function and "_"; "": none.
std::string completion_of(const OptionRow& row, std::string_view value) {
  if (is_path(row)) {
    return fmt::format("files \"{}\"{}{}", value, row.endings.empty() ? "" : " ",
                       fmt::join(row.endings, " "));
  }
  if (row.words.empty()) return {};
  return fmt::format("{} \"{}\" {}", row.words_join ? "list" : "words", value,
                     fmt::join(row.words, " "));
}

std::string call(const std::string& completion) {
  return completion.empty() ? ":" : "_@f_" + completion;
}

// The commands of each group.
std::string commands_function(const OptionTable& table) {
  std::string out = "\n# The commands of the group $1.\n_@f_commands() {\n  case $1 in\n";
  for (const CommandRow& row : table.commands) {
    if (!row.is_group) continue;
    out += fmt::format("    '{}') REPLY='{}' ;;\n", row.command,
                       fmt::join(table.commands_of(row.command), " "));
  }
  return out + "    *) return 1 ;;\n  esac\n}\n";
}

std::string options_function(const OptionTable& table) {
  std::string out = "\n# The options of the command $1.\n_@f_options() {\n  case $1 in\n";
  for (const CommandRow& command : table.commands) {
    std::vector<std::string> names;
    for (const OptionRow* row : table.options_of(command.command)) {
      if (row->positional) continue;
      if (!row->short_name().empty()) names.emplace_back(row->short_name());
      if (row->names.front().size() > 2) names.push_back(row->names.front());
    }
    if (command.takes_command) names.emplace_back("--");
    out += fmt::format("    '{}') REPLY='{}' ;;\n", command.command, fmt::join(names, " "));
  }
  return out + "    *) REPLY= ;;\n  esac\n}\n";
}

// The options with values by how these are completed: of all commands, if all that have the option
// complete it alike.
std::string value_function(const OptionTable& table) {
  std::map<std::string, std::set<std::string>> ways;  // by name of option
  const auto way_of = [](const OptionRow& row) { return completion_of(row, "$3"); };
  const auto each_name = [&](const auto& then) {
    for (const OptionRow& row : table.options) {
      if (row.positional || row.kind == ValueKind::none) continue;
      for (const std::string& name : row.names) then(row, name);
    }
  };
  each_name([&](const OptionRow& row, const std::string& name) { ways[name].insert(way_of(row)); });
  std::map<std::string, std::set<std::string>> some, every;  // patterns by way
  each_name([&](const OptionRow& row, const std::string& name) {
    if (ways.at(name).size() == 1) {
      every[way_of(row)].insert(fmt::format("*' {}'", name));
    } else {
      some[way_of(row)].insert(fmt::format("'{} {}'", row.command, name));
    }
  });
  std::string out =
      "\n# Completes the value $3 of the option $2 of the command $1; fails if it takes none.\n"
      "_@f_value() {\n  case \"$1 $2\" in\n";
  for (const auto* group : {&some, &every}) {
    for (const auto& [way, patterns] : *group) {
      out += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), call(way));
    }
  }
  return out + "    *) return 1 ;;\n  esac\n}\n";
}

std::string argument_function(const OptionTable& table) {
  std::map<std::string, std::vector<std::string>> commands;  // by way
  for (const CommandRow& command : table.commands) {
    for (const OptionRow* row : table.options_of(command.command)) {
      const std::string way = row->positional ? completion_of(*row, "$2") : "";
      if (way.empty()) continue;
      commands[way].push_back(fmt::format("'{}'", command.command));
      break;
    }
  }
  std::string out =
      "\n# Completes the argument $2 of the command $1.\n_@f_argument() {\n  case $1 in\n";
  for (const auto& [way, names] : commands) {
    out += fmt::format("    {}) {} ;;\n", fmt::join(names, " | "), call(way));
  }
  return out + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const OptionTable& table) {
  return filled(kBegin + commands_function(table) + options_function(table) +
                    value_function(table) + argument_function(table) + kEnd,
                table);
}

}  // namespace copse::pages
