// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.hpp"

#include "formats/jgf/jgf.hpp"
#include "formats/simple.hpp"

namespace copse {

const char* word(Format format) {
  switch (format) {
    case Format::simple: return "simple";
    case Format::pretty_simple: return "pretty_simple";
    case Format::jgf: return "jgf";
    case Format::jgf_shorthand: return "jgf_shorthand";
    case Format::rlite: return "rlite";
    case Format::rv1: return "rv1";
    case Format::rv1_nosched: return "rv1_nosched";
    case Format::rv1_shorthand: return "rv1_shorthand";
  }
  return "simple";
}

std::optional<Format> parse_format(std::string_view name) {
  for (Format f : {Format::simple, Format::pretty_simple, Format::jgf, Format::jgf_shorthand,
                   Format::rlite, Format::rv1, Format::rv1_nosched, Format::rv1_shorthand}) {
    if (name == word(f)) return f;
  }
  return std::nullopt;
}

void Writer::write(const OutputRequest& request, std::string& out) {
  if (request.pools.empty()) return;
  switch (format_) {
    case Format::simple: return write_simple(request, out);
    case Format::pretty_simple: return write_pretty_simple(request, out);
    case Format::jgf:
    case Format::jgf_shorthand:
      append_jgf(request, format_ == Format::jgf_shorthand, out);
      out += '\n';
      return;
    case Format::rlite:
    case Format::rv1_nosched:
    case Format::rv1:
    case Format::rv1_shorthand: return r_.write(request, format_, out);
  }
}

}  // namespace copse
