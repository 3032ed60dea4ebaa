// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a stream of Rs, and as what a job has of hierarchical resources: refused with one
// line, or read. What is read stands in the text.
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/rv1/r_stream.hpp"
#include "formats/text_format.hpp"
#include "go_on.hpp"
#include "request/hres.hpp"
#include "target.hpp"

FUZZ_TARGET(r_stream) {
  using copse::fuzz::require;
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto refused = [](const copse::Error& error) {
    require(!error.text.empty() && error.text.find('\n') == std::string::npos);
  };
  (void)copse::text_format(text);
  const auto entries = copse::read_r_stream(text, "fuzz");
  if (!entries) refused(entries.error());
  if (entries) require(entries->size() <= size);
  const auto hres = copse::hres_of_r(text, "fuzz");
  if (!hres) refused(hres.error());
  const auto shares = copse::parse_hres_shares(text);
  if (!shares) refused(shares.error());
  if (shares) require(shares->size() <= size);
  return 0;
}
