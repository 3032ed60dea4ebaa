// SPDX-License-Identifier: Apache-2.0
#include "tools/keys/key_forms.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "tools/keys/form_values.hpp"

namespace copse {

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

std::string text_of(const Form& form, const Members& members) {
  std::string out = form.before;
  bool first = true;
  for (const auto& [key, value] : members) {
    if (!first) out += form.syntax == Syntax::toml_lines ? "\n" : ", ";
    out += form.syntax == Syntax::json ? fmt::format("\"{}\": {}", key, value)
                                       : fmt::format("{} = {}", key, value);
    first = false;
  }
  return out + form.after;
}

Members members_with(const Form& form, const std::string& key) {
  Members out = form.needed;
  if (const auto at = form.without.find(key); at != form.without.end()) {
    for (const std::string& other : at->second) out.erase(other);
  }
  if (!out.contains(key)) out[key] = form.good.at(key);
  return out;
}

std::string misspelt(std::string_view key, KnownKeys keys) {
  std::string out;
  for (std::size_t i = 0; i + 1 < key.size(); ++i) {
    out = key;
    std::swap(out[i], out[i + 1]);
    if (out != key && find_key(keys, out) == nullptr) return out;
  }
  return std::string(key) + std::string(key.substr(key.size() - 1));
}

std::vector<std::string> wrong_values(const KnownKey& key, Syntax syntax) {
  const bool json = syntax == Syntax::json;
  const std::vector<std::pair<unsigned, std::string>> kinds{
      {KnownKey::kText, "\"three\""},
      {KnownKey::kNumber, "5"},
      {KnownKey::kTruth, "true"},
      {KnownKey::kList, "[[]]"},
      {KnownKey::kMapping, json ? R"({"a": 1})" : "{a = 1}"}};
  std::vector<std::string> out;
  for (const auto& [kind, value] : kinds) {
    if ((key.takes & kind) == 0) out.push_back(value);
  }
  if (json && (key.takes & KnownKey::kNull) == 0) out.emplace_back("null");
  if ((key.takes & KnownKey::kText) != 0) {
    out.emplace_back("\"\"");
    out.emplace_back("\"[?,\"");
    out.emplace_back("\"99999999999999999999\"");
  }
  if ((key.takes & KnownKey::kNumber) != 0) {
    for (const char* value : {"99999999999999999999", "-99999999999999999999", "1e400", "1.5"}) {
      out.emplace_back(value);
    }
  }
  return out;
}

std::set<std::string> any_name(std::initializer_list<std::string> keys) {
  std::set<std::string> out;
  for (const std::string& key : keys) {
    for (const char* value : {"\"[?,\"", "\"99999999999999999999\"", "99999999999999999999",
                              "-99999999999999999999", "1e400", "1.5"}) {
      out.insert(key + ' ' + value);
    }
  }
  return out;
}
std::set<std::string> both(std::set<std::string> a, const std::set<std::string>& b) {
  a.insert(b.begin(), b.end());
  return a;
}

std::string slot_of_a_core() {
  return R"({"type": "slot", "count": 1, "label": "a", "with": [{"type": "core", "count": 1}]})";
}

std::vector<Form> key_forms() {
  std::vector<Form> out = stream_forms();
  for (auto more : {jobspec_forms(), supply_forms(), toml_forms(), queue_table_forms()}) {
    std::ranges::move(more, std::back_inserter(out));
  }
  return out;
}

}  // namespace copse
