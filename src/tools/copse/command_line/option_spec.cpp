// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/command_line/option_spec.hpp"

#include "tools/copse/command_line/value_check.hpp"

namespace copse {

void apply_facts(CommandOption option, const OptionFacts& facts) {
  if (facts.kind == ValueKind::input_file) option.reads_file();
  if (facts.kind == ValueKind::output_file) option.writes_file(facts.otherwise);
  if (*facts.unit != '\0') option.unit(facts.unit);
  const std::vector<std::string> words = split_at_blanks(facts.words);
  if (!words.empty()) facts.list ? option.list_of(words) : option.one_of(words);
  if (*facts.suggested != '\0') option.suggests(split_at_blanks(facts.suggested), facts.list);
  if (facts.most != 0) option.between(facts.least, facts.most);
  if (*facts.relative != '\0') option.of_a_day(facts.relative);
}

void relate_option(CommandLine& line, const OptionFacts& facts) {
  CommandOption own = line.added(split_at_commas(facts.names).front());
  for (const std::string& other : split_at_blanks(facts.needs)) own.needs(line.added(other));
  for (const std::string& other : split_at_blanks(facts.excludes)) own.excludes(line.added(other));
}

}  // namespace copse
