// SPDX-License-Identifier: Apache-2.0
//
// The page as one file: its code, its style and its documents in one HTML text that sends no
// requests. A Content-Security-Policy allows the page's own code and style by their checksums, and
// no others. Documents are data blocks, which browsers do not execute; each '<' in them is escaped,
// so no text can end its block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"
#include "formats/graph_text.hpp"

namespace copse::page {

// General facts about the page: the document "about".
struct About {
  std::string kind{};   // "plan", "machine"
  std::string title{};  // of the window
  std::string version{};
  std::int64_t at_s = 0;  // the time shown first
  // The real time at time 0, in seconds since 1970.
  std::optional<std::int64_t> zero_s{};
  std::vector<std::pair<std::string, std::string>>
      made_with{};  // the inputs, as names and values for readers
};
void append_about_document(std::string& out, const About& about);

// A document: its name in docs/develop/page.md, and its JSON.
using Document = std::pair<std::string_view, std::string>;

// Errors: io, if the sink failed.
[[nodiscard]] Result<void> write_page_file(std::string_view title,
                                           const std::vector<Document>& documents,
                                           const TextSink& sink);

}  // namespace copse::page
