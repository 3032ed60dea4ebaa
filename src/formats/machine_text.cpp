// SPDX-License-Identifier: Apache-2.0
#include "formats/machine_text.hpp"

#include <array>
#include <string>

#include "base/nearest_word.hpp"
#include "copse/formats.hpp"
#include "formats/grug/grug.hpp"
#include "formats/hwloc/hwloc_read.hpp"
#include "formats/jgf/jgf.hpp"
#include "formats/rv1/rv1_read.hpp"

namespace copse {

std::string_view guess_machine_format(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "grug";
  if (head[first] == '<') return head.find("<topology") != head.npos ? "hwloc" : "grug";
  if (head[first] != '{' && head[first] != '[') return {};
  return head.find("\"R_lite\"") != head.npos || head.find("\"execution\"") != head.npos ? "rv1exec"
                                                                                         : "jgf";
}

Result<ResourceGraph> read_machine(std::string_view text, const MachineText& how) {
  const std::string_view format = how.format.empty() ? guess_machine_format(text) : how.format;
  if (format == "grug") return read_grug(text, how.file, how.dominant);
  if (format == "hwloc") return read_hwloc(text, how.file, how.allowlist, how.dominant);
  if (format == "jgf" || format == "jgf_shorthand") {
    return read_jgf(text, {.file = how.file}, how.dominant);
  }
  if (format == "rv1exec" || format == "rv1exec_force") {
    const auto r = read_r(text, how.file);
    if (!r) return std::unexpected(r.error());
    return graph_of_r(*r, how.dominant);
  }
  const Place place{std::string(how.file)};
  if (format.empty()) {
    return fail(ErrorCode::unsupported,
                "this is no machine: it is neither XML (GRUG, hwloc) nor JSON (JGF, R)", place);
  }
  constexpr std::array<std::string_view, 6> kFormats{"grug",    "jgf",           "jgf_shorthand",
                                                     "rv1exec", "rv1exec_force", "hwloc"};
  return fail(ErrorCode::unsupported, unknown_word("format", format, kFormats));
}

}  // namespace copse
