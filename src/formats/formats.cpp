// SPDX-License-Identifier: Apache-2.0
#include "formats/formats.hpp"

#include "formats/jgf/jgf.hpp"
#include "formats/simple.hpp"

namespace copse {

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
