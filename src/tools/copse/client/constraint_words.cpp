// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/client/constraint_words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_number.hpp"
#include "base/nearest_word.hpp"
#include "request/constraint.hpp"
#include "request/jobspec_words.hpp"
#include "request/tree/tree_stream.hpp"
#include "rset/rset_properties.hpp"
#include "text/json_writer.hpp"

namespace copse {

namespace {

// Why a word is neither a property nor "^" and a property; "" if it is.
std::string wrong_word(std::string_view word) {
  if (word.contains('|') || word.contains('&')) {
    return fmt::format(
        "{} has an operator; for alternatives, write '{{or: [{{properties: [\"a\"]}}, "
        "{{properties: "
        "[\"b\"]}}]}}'",
        shown_word(word));
  }
  return wrong_property(word.substr(word.starts_with('^') ? 1 : 0));
}

bool is_of_rfc31(std::string_view text) { return text.find_first_of(":{}[]\"'\n") != text.npos; }

}  // namespace

Result<Constraint> constraint_of_words(std::string_view text) {
  if (is_of_rfc31(text)) return parse_constraint(text, "--constraint", JobspecWords::own);
  Constraint out;
  out.op = Constraint::Op::properties;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string_view word = text.substr(from, to - from);
    if (std::string wrong = wrong_word(word); !wrong.empty()) {
      return fail(ErrorCode::invalid, std::move(wrong),
                  {"--constraint", 1, static_cast<std::uint32_t>(from + 1)});
    }
    out.words.emplace_back(word);
    from = to + 1;
  }
  return out;
}

Result<std::string> constraint_json(std::string_view text) {
  const auto read = constraint_of_words(text);
  if (!read) return std::unexpected(read.error());
  std::string out;
  if (is_of_rfc31(text)) {
    const auto tree = read_tree(text, "--constraint", {});
    if (!tree) return std::unexpected(tree.error());
    append_tree_json(out, TreeView(*tree));
    return out;
  }
  JsonWriter json(out);
  json.object([&] {
    json.array("properties", read->words, [&](const std::string& word) { json.value(word); });
  });
  return out;
}

void append_tree_json(std::string& out, TreeView tree) {
  if (tree.is_null()) {
    out += "null";
  } else if (tree.is_mapping() || tree.is_sequence()) {
    const bool pairs = tree.is_mapping();
    out += pairs ? '{' : '[';
    bool key = true, first = true;
    for (auto child = tree.first_child(); child; child = child->next()) {
      if (pairs && !key) {
        out += ": ";
      } else if (!first) {
        out += ", ";
      }
      first = false;
      if (pairs && key) {
        append_json(out, child->text());
      } else {
        append_tree_json(out, *child);
      }
      key = !key;
    }
    out += pairs ? '}' : ']';
  } else {
    const std::string_view text = tree.text();
    const bool plain =
        !tree.is_quoted_string() && (text == "true" || text == "false" || is_json_number(text));
    if (plain) {
      out += text;
    } else {
      append_json(out, text);
    }
  }
}

}  // namespace copse
