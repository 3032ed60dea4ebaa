// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/serve/serve_config.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/nearest_word.hpp"
#include "files/read_file.hpp"
#include "text/tree/toml_tree.hpp"

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

constexpr std::string_view kCertificateTable = "tls-clients";

// A text of a row. Errors: invalid.
Result<std::string> word_in_row(TreeView row, std::string_view key) {
  const auto text = row.find(key);
  if (text && text->is_quoted_string() && row.size() == 2) return std::string(text->text());
  return row.fail("a certificate has a user and a role: { user = \"ada\", role = \"operator\" }");
}

Result<void> add_certificate(server::CertificateTable& table, std::string_view name, TreeView row) {
  const auto user = word_in_row(row, "user"), role = word_in_row(row, "role");
  if (!user || !role) return std::unexpected((user ? role : user).error());
  auto added = table.add(name, *user, *role);
  if (!added) added.error().place = row.place();
  return added;
}

const OptionRow* find_option(std::span<const OptionRow> options, std::string_view key) {
  const auto at = std::ranges::find_if(options, [&](const OptionRow& option) {
    return !option.positional && option.names.front() == "--" + std::string(key);
  });
  return at == options.end() ? nullptr : &*at;
}

std::unexpected<Error> unknown_option(std::span<const OptionRow> options, std::string_view key,
                                      TreeView value) {
  std::vector<std::string_view> known;
  for (const OptionRow& option : options) {
    if (option.names.front().starts_with("--")) {
      known.push_back(std::string_view(option.names.front()).substr(2));
    }
  }
  return value.fail(unknown_word("option", key, known));
}

// A value as the command line has it. Errors: invalid.
Result<std::string> word_of(TreeView value, std::string_view key) {
  if (value.is_quoted_string() || value.integer()) return std::string(value.text());
  if (const auto number = value.real()) return fmt::format("{}", *number);
  return value.fail(fmt::format("\"{}\" must be a text or a number", key));
}

Result<void> add_option(std::vector<std::string>& words, const OptionRow& option, TreeView value,
                        std::string_view key) {
  const std::string& name = option.names.front();
  if (option.kind == ValueKind::none) {
    const auto set = value.truth();
    if (!set) return value.fail(fmt::format("\"{}\" must be true or false", key));
    if (*set) words.push_back(name);
    return {};
  }
  const auto add = [&](TreeView one) -> Result<void> {
    const auto word = word_of(one, key);
    if (!word) return std::unexpected(word.error());
    words.push_back(name + '=' + *word);
    return {};
  };
  if (!value.is_sequence()) return add(value);
  for (const TreeView one : value.entries()) {
    if (auto ok = add(one); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> add_config(std::vector<std::string> words, std::string_view text,
                                            std::string_view file,
                                            std::span<const OptionRow> options) {
  const auto tree = read_toml_tree(text, file);
  if (!tree) return std::unexpected(tree.error());
  const std::vector<std::string> said = words;
  std::optional<TreeView> certificates;
  for (const auto& [name, value] : TreeView(*tree).members()) {
    const std::string_view key = name.text();
    if (key == kCertificateTable) {
      certificates = value;
      continue;
    }
    if (key == "config") {
      return value.fail(
          "a file of options names no other: \"config\" is for the command line only");
    }
    const OptionRow* option = find_option(options, key);
    if (option == nullptr) return unknown_option(options, key, value);
    if (is_given(said, *option)) continue;
    if (auto ok = add_option(words, *option, value, key); !ok) {
      return std::unexpected(ok.error());
    }
  }
  const bool signed_by = std::ranges::any_of(
      words, [](const std::string& word) { return says(word, "--tls-client-ca"); });
  if (certificates && !signed_by) {
    return certificates->fail(
        fmt::format("\"{}\" needs \"tls-client-ca\", the authority that signs these certificates",
                    kCertificateTable));
  }
  return words;
}

Result<server::CertificateTable> read_certificate_table(std::string_view text,
                                                        std::string_view file) {
  server::CertificateTable out;
  const auto tree = read_toml_tree(text, file);
  if (!tree) return std::unexpected(tree.error());
  const auto found = TreeView(*tree).find(kCertificateTable);
  if (!found) return out;
  const auto rows = found->read_table(fmt::format("\"{}\"", kCertificateTable));
  if (!rows) return std::unexpected(rows.error());
  for (const auto& [name, row] : rows->members()) {
    if (auto ok = add_certificate(out, name.text(), row); !ok) return std::unexpected(ok.error());
  }
  return out;
}
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
