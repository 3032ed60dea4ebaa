// SPDX-License-Identifier: Apache-2.0
#include "request/attributes_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json_number.hpp"
#include "request/constraint.hpp"
#include "request/hres.hpp"
#include "request/jobspec_keys.hpp"
#include "request/jobspec_values.hpp"

namespace copse {

namespace {

// A word that JSON or YAML reads as a number or truth value is a string only in quotes.
bool is_string(TreeView node) {
  if (!node.is_scalar()) return false;
  const std::string_view word = node.text();
  return node.is_quoted_string() ||
         !(is_json_number(word) || parse_integer(word) || word == "true" || word == "false");
}

Result<HresRequest> read_hres_request(TreeView node) {
  if (!is_string(node)) return node.fail("Value of \"hres\" must be a string");
  const auto place = node.text_place();
  auto request = parse_hres_request(node.text(), place.value_or(SourceLocation{}));
  if (request) return request;
  request.error().text.insert(0, "hres: ");
  // Of a text on several lines, only where it begins is known.
  if (!place) request.error().place = node.place();
  return request;
}

}  // namespace

Result<void> AttributesReader::read(TreeView node) {
  if (node.is_null()) return {};
  if (!node.is_mapping()) return node.fail("\"attributes\" is not a map");
  if (const auto key = first_other_key(node, kJobspecAttributesKeys)) {
    return refuse_key(*key, kJobspecAttributesKeys, words_, "Unknown key in \"attributes\"");
  }
  const auto system = node.find("system");
  if (!system || system->is_null()) return {};
  if (!system->is_mapping()) return system->fail("\"system\" in \"attributes\" is not a map");
  if (auto checked = check_spelling(*system, kJobspecSystemKeys, words_); !checked) return checked;
  if (const auto duration = system->find("duration")) {
    if (auto read = read_duration(*duration); !read) return read;
  }
  if (const auto queue = system->find("queue"); queue && !queue->is_null()) {
    if (auto read = keep(read_jobspec_name(*queue, "queue"), request_.queue); !read) return read;
  }
  if (const auto hres = system->find("hres"); hres && !hres->is_null()) {
    if (auto read = keep(read_hres_request(*hres), request_.hres); !read) return read;
  }
  if (const auto constraints = system->find("constraints")) {
    return keep(read_constraint(*constraints, hosts_max_, words_), request_.constraint);
  }
  return {};
}

Result<void> AttributesReader::read_duration(TreeView node) {
  const auto seconds = node.is_scalar() ? parse_seconds(node.text()) : std::nullopt;
  if (!seconds) return node.fail("Value of \"duration\" must be a number");
  const double whole_s = std::ceil(*seconds);
  // 2^63 is the first double beyond INT64_MAX. NaN fails both comparisons.
  if (*seconds >= 0 && whole_s < 0x1p63) {
    request_.duration_s = static_cast<std::int64_t>(whole_s);
  } else {
    if (words_ == JobspecWords::own) {
      return node.fail(fmt::format("duration is {:.64}, which no job can have", node.text()));
    }
    request_.duration_invalid = true;
  }
  return {};
}

}  // namespace copse
