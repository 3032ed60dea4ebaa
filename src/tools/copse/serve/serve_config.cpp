// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_config.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#ifdef COPSE_HAS_TOML
#include "text/toml_text.hpp"
#endif

namespace copse {

namespace {

// "-L", "-Lfile", "--load-file", "--load-file=file"
bool says(std::string_view word, const std::string& name) {
  const bool is_long = name.starts_with("--");
  return word == name || (is_long ? word.starts_with(name + '=')
                                  : word.starts_with(name) && !word.starts_with("--"));
}

bool is_given(const std::vector<std::string>& words, const OptionRow& option) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::any_of(option.names,
                               [&](const std::string& name) { return says(word, name); });
  });
}

#ifdef COPSE_HAS_TOML
constexpr std::string_view kCertificateTable = "tls-clients";

// A text of a row. Errors: invalid.
Result<std::string> word_in_row(const toml::table& row, std::string_view key,
                                const SourceLocation& place) {
  const auto* text = row[key].as_string();
  if (text == nullptr || row.size() != 2) {
    return fail(ErrorCode::invalid,
                "a certificate has a user and a role: { user = \"ada\", role = \"operator\" }",
                place);
  }
  return text->get();
}

Result<void> add_certificate(server::CertificateTable& table, std::string_view name,
                             const toml::node& value, std::string_view file) {
  static const toml::table kNone;
  const SourceLocation place = place_of(value, file);
  const toml::table* row = value.as_table();
  if (row == nullptr) row = &kNone;
  const auto user = word_in_row(*row, "user", place), role = word_in_row(*row, "role", place);
  if (!user || !role) return std::unexpected((user ? role : user).error());
  auto added = table.add(name, *user, *role);
  if (!added) added.error().place = place;
  return added;
}

const OptionRow* find_option(std::span<const OptionRow> options, std::string_view key) {
  const auto at = std::ranges::find_if(options, [&](const OptionRow& option) {
    return !option.positional && option.names.front() == "--" + std::string(key);
  });
  return at == options.end() ? nullptr : &*at;
}

std::unexpected<Error> unknown_option(std::span<const OptionRow> options, std::string_view key,
                                      const SourceLocation& place) {
  std::vector<std::string_view> known;
  for (const OptionRow& option : options) {
    if (option.names.front().starts_with("--")) {
      known.push_back(std::string_view(option.names.front()).substr(2));
    }
  }
  return fail(ErrorCode::invalid, unknown_word("option", key, known), place);
}

// A value as the command line has it. Errors: invalid.
Result<std::string> word_of(const toml::node& value, std::string_view key, std::string_view file) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* whole = value.as_integer()) return std::to_string(whole->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  return fail(ErrorCode::invalid, fmt::format("\"{}\" must be a text or a number", key),
              place_of(value, file));
}

Result<void> add_option(std::vector<std::string>& words, const OptionRow& option,
                        const toml::node& value, std::string_view key, std::string_view file) {
  const std::string& name = option.names.front();
  if (option.kind == ValueKind::none) {
    const auto* set = value.as_boolean();
    if (set == nullptr) {
      return fail(ErrorCode::invalid, fmt::format("\"{}\" must be true or false", key),
                  place_of(value, file));
    }
    if (set->get()) words.push_back(name);
    return {};
  }
  const auto* list = value.as_array();
  const std::size_t count = list == nullptr ? 1 : list->size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto word = word_of(list == nullptr ? value : *list->get(i), key, file);
    if (!word) return std::unexpected(word.error());
    words.push_back(name + '=' + *word);
  }
  return {};
}
#endif

}  // namespace

#ifdef COPSE_HAS_TOML
Result<std::vector<std::string>> add_config(std::vector<std::string> words, std::string_view text,
                                            std::string_view file,
                                            std::span<const OptionRow> options) {
  const auto table = parse_toml(text, file);
  if (!table) return std::unexpected(table.error());
  const std::vector<std::string> said = words;
  const toml::node* certificates = nullptr;
  for (const auto& [name, value] : *table) {
    const std::string_view key = name.str();
    if (key == kCertificateTable) {
      certificates = &value;
      continue;
    }
    if (key == "config") {
      return fail(ErrorCode::invalid,
                  "a file of options names no other: \"config\" is for the "
                  "command line only",
                  place_of(value, file));
    }
    const OptionRow* option = find_option(options, key);
    if (option == nullptr) return unknown_option(options, key, place_of(value, file));
    if (is_given(said, *option)) continue;
    if (auto ok = add_option(words, *option, value, key, file); !ok) {
      return std::unexpected(ok.error());
    }
  }
  const bool signed_by = std::ranges::any_of(
      words, [](const std::string& word) { return says(word, "--tls-client-ca"); });
  if (certificates != nullptr && !signed_by) {
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\" needs \"tls-client-ca\": who signs these certificates",
                            kCertificateTable),
                place_of(*certificates, file));
  }
  return words;
}

Result<server::CertificateTable> read_certificate_table(std::string_view text,
                                                        std::string_view file) {
  server::CertificateTable out;
  const auto all = parse_toml(text, file);
  if (!all) return std::unexpected(all.error());
  const toml::node* const found = all->get(kCertificateTable);
  if (found == nullptr) return out;
  const toml::table* const rows = found->as_table();
  if (rows == nullptr) {
    return fail(ErrorCode::invalid, fmt::format("\"{}\" must be a table", kCertificateTable),
                place_of(*found, file));
  }
  for (const auto& [name, value] : *rows) {
    if (auto ok = add_certificate(out, name.str(), value, file); !ok) {
      return std::unexpected(ok.error());
    }
  }
  return out;
}
#else
Result<std::vector<std::string>> add_config(std::vector<std::string> /*words*/,
                                            std::string_view /*text*/, std::string_view file,
                                            std::span<const OptionRow> /*options*/) {
  return fail(ErrorCode::unsupported,
              fmt::format("{} can't be read: this program was built without toml++", file));
}

Result<server::CertificateTable> read_certificate_table(std::string_view /*text*/,
                                                        std::string_view file) {
  return fail(ErrorCode::unsupported,
              fmt::format("{} can't be read: this program was built without toml++", file));
}
#endif

Result<std::vector<std::string>> words_with_config(std::vector<std::string> words,
                                                   const OptionTable& table) {
  constexpr std::string_view kOption = "--config";
  std::string path;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] == kOption && i + 1 < words.size()) path = words[i + 1];
    if (words[i].starts_with("--config=")) path = words[i].substr(kOption.size() + 1);
  }
  if (words.size() < 2 || words[1] != "serve" || path.empty()) return words;
  const auto text = read_file(path);
  if (!text) return std::unexpected(text.error());
  std::vector<OptionRow> options;
  std::ranges::copy_if(table.options, std::back_inserter(options),
                       [](const OptionRow& option) { return option.command == "serve"; });
  return add_config(std::move(words), *text, path, options);
}

}  // namespace copse
