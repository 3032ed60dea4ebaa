// SPDX-License-Identifier: Apache-2.0
#include "formats/slurm/slurm_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "text/xml_text.hpp"

namespace copse {

namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool is_blank(char c) { return xml::is_space(c); }

class LinesReader {
 public:
  explicit LinesReader(const SlurmFiles& files) : files_(files) {}

  // An Include is pushed in front of what is left of its file, so that nothing recurs.
  Result<std::vector<SlurmLine>> read(std::string_view text, std::string_view file) {
    if (auto ok = enter(std::string(text), std::string(file)); !ok) {
      return std::unexpected(ok.error());
    }
    std::string line;
    while (!open_.empty()) {
      SourceLocation place;
      if (!next(line, place)) {
        open_.pop_back();
      } else if (auto ok = read_line(line, place); !ok) {
        return std::unexpected(ok.error());
      }
    }
    return std::move(out_);
  }

 private:
  struct Open {
    std::string text, file;
    std::size_t at = 0;
    std::uint32_t line = 0;
  };

  Result<void> enter(std::string text, std::string file) {
    bytes_ += text.size();
    if (bytes_ > kSlurmTextBytesMax) {
      return fail(ErrorCode::limit,
                  fmt::format("the text has more than {} bytes", kSlurmTextBytesMax), {file});
    }
    if (const auto bad = first_invalid_utf8(text); bad != std::string_view::npos) {
      return fail(ErrorCode::invalid, fmt::format("byte {} is not UTF-8", bad), {file});
    }
    open_.push_back({std::move(text), std::move(file)});
    return {};
  }

  // The next line of the innermost file, without comments, with those that continue it.
  bool next(std::string& line, SourceLocation& place) {
    Open& in = open_.back();
    if (in.at >= in.text.size()) return false;
    line.clear();
    place = {in.file, in.line + 1, 0};
    for (bool more = true; more && in.at < in.text.size();) {
      const std::size_t end = std::min(in.text.find('\n', in.at), in.text.size());
      std::string_view part(in.text.data() + in.at, end - in.at);
      in.at = end + 1;
      ++in.line;
      if (part.ends_with('\r')) part.remove_suffix(1);
      more = part.ends_with('\\');
      if (more) part.remove_suffix(1);
      for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] == '#' && (i == 0 || part[i - 1] != '\\')) {
          part = part.substr(0, i);
          break;
        }
      }
      line += part;
      line += ' ';
    }
    return true;
  }

  Result<void> read_line(std::string_view line, SourceLocation place) {
    SlurmLine out{std::move(place), {}};
    line = xml::trimmed(line);
    if (line.empty()) return {};
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (same_key(word, "include"))
      return include(xml::trimmed(line.substr(word.size())), out.place);
    while (!line.empty()) {
      if (auto ok = read_setting(line, out); !ok) return ok;
      line = xml::trimmed(line);
    }
    out_.push_back(std::move(out));
    return {};
  }

  static Result<void> read_setting(std::string_view& line, SlurmLine& out) {
    const std::size_t equals = line.find('=');
    const std::string_view key = xml::trimmed(line.substr(0, equals));
    if (equals == line.npos || key.empty() || std::ranges::any_of(key, is_blank)) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} is not a setting; each is Key=Value", xml::quoted(key)),
                  out.place);
    }
    line.remove_prefix(equals + 1);
    std::size_t end = 0;
    bool quoted = false;
    std::string value;
    for (; end < line.size() && (quoted || !is_blank(line[end])); ++end) {
      if (line[end] == '"') {
        quoted = !quoted;
      } else if (line[end] != '\\' || end + 1 == line.size() || line[end + 1] != '#') {
        value += line[end];
      }
    }
    if (quoted) return fail(ErrorCode::invalid, "a quote has no end", out.place);
    line.remove_prefix(end);
    out.settings.push_back({std::string(key), std::move(value)});
    return {};
  }

  Result<void> include(std::string_view name, const SourceLocation& place) {
    if (!files_) return {};
    if (++includes_ > kSlurmIncludesMax) {
      return fail(ErrorCode::limit,
                  fmt::format("more than {} files are included", kSlurmIncludesMax), place);
    }
    auto text = files_(std::string(name));
    if (!text) return std::unexpected(text.error());
    if (!*text) {
      return fail(ErrorCode::not_found, fmt::format("there is no file {}", xml::quoted(name)),
                  place);
    }
    return enter(std::move(**text), std::string(name));
  }

  const SlurmFiles& files_;
  std::vector<Open> open_;
  std::size_t bytes_ = 0;
  std::uint32_t includes_ = 0;
  std::vector<SlurmLine> out_;
};

}  // namespace

bool same_key(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

const std::string* SlurmLine::find(std::string_view key) const {
  const auto at = std::ranges::find_if(
      settings, [&](const SlurmSetting& setting) { return same_key(setting.key, key); });
  return at == settings.end() ? nullptr : &at->value;
}

Result<std::vector<SlurmLine>> read_slurm_lines(std::string_view text, std::string_view file,
                                                const SlurmFiles& files) {
  return LinesReader(files).read(text, file);
}

}  // namespace copse
