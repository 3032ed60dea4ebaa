// SPDX-License-Identifier: Apache-2.0
#include "tools/options/getopt_options.hpp"

#include <getopt.h>

#include <vector>

#include "tools/options/wrap_text.hpp"

namespace copse {

bool read_options(int argc, char* const* argv, std::span<const GetoptOption> options,
                  const std::function<bool(int letter, const char* value)>& take) {
  std::vector<::option> rows;
  std::string letters;  // "hL:f:"
  for (const GetoptOption& option : options) {
    const bool flag = *option.unit == '\0';
    rows.push_back({option.name, flag ? no_argument : required_argument, nullptr, option.letter});
    letters += option.letter;
    if (!flag) letters += ':';
  }
  rows.push_back({nullptr, 0, nullptr, 0});
  ::optind = 0;  // forget what other calls read
  for (;;) {
    // getopt is not thread-safe; a program has one command line.
    const int letter = ::getopt_long(argc, argv, letters.c_str(), rows.data(), nullptr);
    if (letter == -1) return true;
    if (!take(letter, ::optarg == nullptr ? "" : ::optarg)) return false;
  }
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
