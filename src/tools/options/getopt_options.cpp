// SPDX-License-Identifier: Apache-2.0
#include "tools/options/getopt_options.hpp"

#include "tools/options/wrap_text.hpp"

namespace copse {

std::vector<::option> long_options(std::span<const GetoptOption> options) {
  std::vector<::option> out;
  for (const GetoptOption& option : options) {
    const int value = *option.unit == '\0' ? no_argument : required_argument;
    out.push_back({option.name, value, nullptr, option.letter});
  }
  out.push_back({nullptr, 0, nullptr, 0});
  return out;
}

std::string short_options(std::span<const GetoptOption> options) {
  std::string out;
  for (const GetoptOption& option : options) {
    out += option.letter;
    if (*option.unit != '\0') out += ':';
  }
  return out;
}

std::string usage_row(const GetoptOption& option, std::string_view about, std::size_t left,
                      std::size_t right) {
  std::string name = std::string("-") + option.letter + ", --" + option.name;
  if (*option.unit != '\0') name += std::string("=") + option.unit;
  return help_row(name, about, left, right);
}

OptionRow option_row(const GetoptOption& option) {
  OptionRow out;
  out.names = {std::string("--") + option.name, std::string("-") + option.letter};
  out.unit = option.unit;
  out.about = option.about;
  out.kind = option.kind;
  out.words = split_at_blanks(option.words);
  return out;
}

}  // namespace copse
