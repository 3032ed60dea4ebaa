// SPDX-License-Identifier: Apache-2.0
//
// The options of a command as a constexpr table, for commands with many:
//
//   constexpr OptionSpec<PlanOptions> kOptions[] = {
//       {member<&PlanOptions::gantt>,
//        {.names = "--gantt", .kind = ValueKind::output_file, .about = "a file to draw to"}}};
//   add_options(sub, *o, kOptions);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "tools/copse/command_line/command_line.hpp"

namespace copse {

// Lists are separated by blanks.
struct OptionFacts {
  const char* names;
  const char* unit = "";  // what --help calls its value; of a file: FILE
  const char* about = "";
  ValueKind kind = ValueKind::text;
  bool list = false;                  // words separated by commas
  const char* words = "";             // the allowed values; of a list: the allowed words
  const char* suggested = "";         // usual values
  std::uint64_t least = 0, most = 0;  // of a whole number; 0, 0: any
  const char* otherwise = "";         // of an output: the file if it is not given
  const char* relative = "";          // of a time: what an error proposes instead of a time of day
  const char* needs = "";
  const char* excludes = "";  // also options further down
};

// The member of the options of a command that has the value.
template <class Options, class Value>
using OptionMember = Value& (*)(Options&);

template <class Options>
using AnyOptionMember =
    std::variant<OptionMember<Options, bool>, OptionMember<Options, std::string>,
                 OptionMember<Options, std::vector<std::string>>,
                 OptionMember<Options, std::int64_t>, OptionMember<Options, std::uint64_t>,
                 OptionMember<Options, double>, OptionMember<Options, std::optional<std::int64_t>>>;

template <class Options, class Member>
Options class_of_member(Member Options::*);

// member<&Plan::jobs>; of a member that is a struct: member<&Plan::workload, &Workload::seed>.
template <auto kFirst, auto... kRest>
inline constexpr auto member = +[](decltype(class_of_member(kFirst))& options) -> auto& {
  return ((options.*kFirst).*....*kRest);
};

template <class Options>
struct OptionSpec {
  AnyOptionMember<Options> value;
  OptionFacts facts;
};

// Applies the facts of the table to an added option.
void apply_facts(CommandOption option, const OptionFacts& facts);
// Its relations to others, which must have been added.
void relate_option(CommandLine& line, const OptionFacts& facts);

template <class Value>
CommandOption add_option(CommandLine& line, const OptionFacts& facts, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return line.flag(facts.names, value, facts.about);
  } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) {
    return line.time(facts.names, value, facts.about);
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    return facts.list ? line.list(facts.names, value, facts.about)
                      : line.option(facts.names, value, facts.about).one_at_a_time();
  } else {
    return line.option(facts.names, value, facts.about);
  }
}

// Adds the options of a table, in its order.
template <class Options, std::size_t kCount>
void add_options(CommandLine& line, Options& options, const OptionSpec<Options> (&specs)[kCount]) {
  for (const OptionSpec<Options>& spec : specs) {
    std::visit([&](auto of) { apply_facts(add_option(line, spec.facts, of(options)), spec.facts); },
               spec.value);
  }
  for (const OptionSpec<Options>& spec : specs) relate_option(line, spec.facts);
}

}  // namespace copse
