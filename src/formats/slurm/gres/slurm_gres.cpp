// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/gres/slurm_gres.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr std::int64_t kCountMax = INT64_C(1) << 53;

bool is_name(std::string_view word) {
  return !word.empty() && word.size() <= 256 && std::ranges::none_of(word, [](char c) {
    return c == '/' || c == ' ' || c == '"' || xml::is_control(c);
  });
}

// Takes the text before the next comma; commas in parentheses do not count.
std::string_view next_item(std::string_view& rest) {
  std::size_t end = 0;
  for (int depth = 0; end < rest.size() && (rest[end] != ',' || depth > 0); ++end) {
    if (rest[end] == '(') ++depth;
    if (rest[end] == ')' && depth > 0) --depth;
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return xml::trimmed(item);
}

std::unexpected<Error> refuse(std::string_view item, std::string_view why) {
  return fail(ErrorCode::invalid, fmt::format("GRES {} {}", xml::quoted(item), why));
}

// "(IDX:0-1)", "(S:0)", "(CNT:2)".
Result<void> read_note(std::string_view item, std::string_view note, SlurmGres& gres) {
  note.remove_prefix(1);
  if (note.ends_with(')')) note.remove_suffix(1);
  if (note.starts_with("IDX:") && note != "IDX:N/A") {
    auto ids = Idset::parse(note.substr(4));
    if (!ids) return refuse(item, "has an IDX that is not a list of numbers");
    gres.ids = std::move(*ids);
  } else if (note.starts_with("CNT:")) {
    const auto count = gres_count(note.substr(4));
    if (!count) return refuse(item, "has a CNT that is not a count");
    gres.count = *count;
  }
  return {};
}

// None: jobs do not hold it.
Result<std::optional<SlurmGres>> read_item(std::string_view item) {
  SlurmGres out;
  bool consumed = true;
  std::string_view rest = item;
  if (rest.starts_with("gres/") || rest.starts_with("gres:")) rest.remove_prefix(5);
  const std::size_t note = rest.find('(');
  const std::string_view words = rest.substr(0, note);
  const std::size_t first = words.find_first_of(":=");
  out.name = words.substr(0, first);
  std::string_view more = first == words.npos ? "" : words.substr(first + 1);
  while (!more.empty()) {  // "a100:4", "4", "a100"
    const std::size_t colon = more.find_first_of(":=");
    const std::string_view word = more.substr(0, colon);
    more = colon == more.npos ? "" : more.substr(colon + 1);
    const auto count = gres_count(word);
    const bool number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (word == "no_consume") {
      consumed = false;
    } else if (count && more.empty()) {
      out.count = *count;
    } else if (out.type.empty() && (!number || !more.empty()) && is_name(word) &&
               word.front() != '-') {
      out.type = word;
    } else {
      return refuse(item, "has no count that can be used");
    }
  }
  if (!is_name(out.name)) return refuse(item, "has no name that can be used");
  if (note != rest.npos) {
    if (auto ok = read_note(item, rest.substr(note), out); !ok) return std::unexpected(ok.error());
  }
  if (!consumed) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::int64_t> gres_count(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc{} || value < 0 || unit.size() > 1) return std::nullopt;
  constexpr std::string_view kUnits = "kmgtp";
  if (unit.empty()) return value <= kCountMax ? std::optional(value) : std::nullopt;
  const std::size_t at = kUnits.find(static_cast<char>(unit.front() | 0x20));
  if (at == kUnits.npos) return std::nullopt;
  for (std::size_t i = 0; i <= at; ++i) {
    if (__builtin_mul_overflow(value, INT64_C(1024), &value)) return std::nullopt;
  }
  return value <= kCountMax ? std::optional(value) : std::nullopt;
}

Result<std::vector<SlurmGres>> parse_gres(std::string_view text) {
  std::vector<SlurmGres> out;
  if (text == "(null)" || text == "N/A") return out;
  while (!text.empty()) {
    const std::string_view item = next_item(text);
    if (item.empty()) continue;
    auto gres = read_item(item);
    if (!gres) return std::unexpected(gres.error());
    if (!*gres || (*gres)->count == 0) continue;
    if (out.size() == kGresKindsMax) {
      return fail(ErrorCode::limit, fmt::format("more than {} kinds of GRES", kGresKindsMax));
    }
    out.push_back(std::move(**gres));
  }
  return out;
}

}  // namespace copse
