// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/pages/copse_pages.hpp"

#include <fstream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "files/read_file.hpp"
#include "tools/copse/copse.hpp"
#include "tools/copse/pages/bash_completion.hpp"
#include "tools/copse/pages/man_page.hpp"
#include "tools/copse/pages/option_lists.hpp"
#include "tools/grug2dot/grug2dot.hpp"
#include "tools/jobspec_validate.hpp"
#include "tools/resource_query/rq_options.hpp"

namespace copse::pages {

namespace {

namespace fs = std::filesystem;

Result<void> write_text(const fs::path& path, const std::string& text) {
  std::error_code unknown;  // opening the file fails then
  fs::create_directories(path.parent_path(), unknown);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return fail(ErrorCode::io, fmt::format("can't write {}", path.string()));
}

Result<void> write_pages(const fs::path& source, const fs::path& output, std::string_view date) {
  for (const OptionTable& table : all_programs()) {
    const auto prose = read_file((source / "docs/man" / (table.program + ".1.in")).string());
    if (!prose) return std::unexpected(prose.error());
    const auto page = man_page(table, *prose, date);
    if (!page) return std::unexpected(page.error());
    if (auto ok = write_text(output / "man" / (table.program + ".1"), *page); !ok) return ok;
    const fs::path completion = output / "completions" / table.program;
    if (auto ok = write_text(completion, bash_completion(table)); !ok) return ok;
  }
  return {};
}

Result<void> update_docs(const fs::path& source) {
  const auto stale = stale_pages(source);
  if (!stale) return std::unexpected(stale.error());
  for (const auto& [path, text] : *stale) {
    if (auto ok = write_text(path, text); !ok) return ok;
    write_error(fmt::format("copse-pages: {} is updated\n", path.string()));
  }
  return {};
}

}  // namespace

std::vector<OptionTable> all_programs() {
  return {copse_option_table(), resource_query_table(), grug2dot_table(), jobspec_validate_table()};
}

Result<std::map<fs::path, std::string>> stale_pages(const fs::path& source) {
  const std::vector<OptionTable> programs = all_programs();
  std::map<fs::path, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(source / "docs")) {
    if (entry.path().extension() != ".md") continue;
    const auto text = read_file(entry.path().string());
    if (!text) return std::unexpected(text.error());
    auto made = with_option_lists(programs, *text, entry.path().string());
    if (!made) return std::unexpected(made.error());
    if (*made != *text) out[entry.path()] = std::move(*made);
  }
  return out;
}

int copse_pages(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 2 || words.size() > 3) {
    write_error("usage: copse-pages SOURCE OUTPUT DATE | --docs SOURCE\n");
    return kUnusable;
  }
  const auto done =
      words[0] == "--docs" ? update_docs(words[1]) : write_pages(words[0], words[1], words.back());
  return done ? kDone : unusable(done.error());
}

}  // namespace copse::pages
