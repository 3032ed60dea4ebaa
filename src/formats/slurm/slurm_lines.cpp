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

bool is_key_char(char c) {
  return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

std::string_view without_comment(std::string_view line) {
  std::size_t slashes = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && slashes % 2 == 0) return line.substr(0, i);
    slashes = line[i] == '\\' ? slashes + 1 : 0;
  }
  return line;
}

// Without the last of an odd number of '\' and the blanks after it; else the same.
std::string_view without_continuation(std::string_view line) {
  std::size_t end = line.size();
  while (end > 0 && is_blank(line[end - 1])) --end;
  std::size_t slashes = 0;
  while (slashes < end && line[end - 1 - slashes] == '\\') ++slashes;
  return slashes % 2 == 1 ? line.substr(0, end - 1) : line;
}

std::string without_escapes(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') ++i;
    if (i < line.size()) out += line[i];
  }
  return out;
}

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
      const std::string_view part =
          without_comment(std::string_view(in.text).substr(in.at, end - in.at));
      in.at = end + 1;
      ++in.line;
      const std::string_view kept = without_continuation(part);
      more = kept.size() < part.size();
      line += kept;
    }
    return true;
  }

  Result<void> read_line(std::string_view text, SourceLocation place) {
    SlurmLine out{std::move(place), {}};
    const std::string plain = without_escapes(text);
    std::string_view line = xml::trimmed(plain);
    if (line.empty()) return {};
    const std::string_view word = line.substr(0, line.find_first_of(" \t"));
    if (same_key(word, "include")) {
      return include(xml::trimmed(line.substr(word.size())), out.place);
    }
    while (!line.empty()) {
      if (auto ok = read_setting(line, out); !ok) return ok;
      line = xml::trimmed(line);
    }
    const SlurmSetting& first = out.settings.front();
    if (same_key(first.key, "ClusterName")) cluster_ = first.value;
    out_.push_back(std::move(out));
    return {};
  }

  static Result<void> read_setting(std::string_view& line, SlurmLine& out) {
    const std::size_t equals = line.find('=');
    std::string_view key = xml::trimmed(line.substr(0, equals));
    constexpr std::string_view kOperators = "+-*/";
    if (!key.empty() && kOperators.contains(key.back())) {
      key = xml::trimmed(key.substr(0, key.size() - 1));
    }
    if (equals == line.npos || key.empty() || !std::ranges::all_of(key, is_key_char)) {
      return fail(ErrorCode::invalid,
                  fmt::format("{} is not a setting; each is Key=Value", xml::quoted(key)),
                  out.place);
    }
    line = xml::trimmed(line.substr(equals + 1));
    std::size_t end = line.find_first_of(" \t\r\n\f\v");
    if (line.starts_with('"')) {
      const std::size_t quote = line.find('"', 1);
      if (quote == line.npos) return fail(ErrorCode::invalid, "a quote has no end", out.place);
      // Text right after the quote makes it a part of the value.
      if (quote + 1 == line.size() || is_blank(line[quote + 1])) {
        out.settings.push_back({std::string(key), std::string(line.substr(1, quote - 1))});
        line.remove_prefix(quote + 1);
        return {};
      }
    }
    end = std::min(end, line.size());
    out.settings.push_back({std::string(key), std::string(line.substr(0, end))});
    line.remove_prefix(end);
    return {};
  }

  Result<void> include(std::string_view name, const SourceLocation& place) {
    if (!files_) return {};
    if (++includes_ > kSlurmIncludesMax) {
      return fail(ErrorCode::limit,
                  fmt::format("more than {} files are included", kSlurmIncludesMax), place);
    }
    std::string path(name.substr(0, name.find_first_of(" \t")));
    if (const std::size_t at = path.find("%c"); at != path.npos) {
      std::string cluster = cluster_;
      std::ranges::transform(cluster, cluster.begin(), lower);
      path.replace(at, 2, cluster);
    }
    auto text = files_(path);
    if (!text) return std::unexpected(text.error());
    if (!*text) {
      return fail(ErrorCode::not_found, fmt::format("there is no file {}", xml::quoted(path)),
                  place);
    }
    return enter(std::move(**text), std::move(path));
  }

  const SlurmFiles& files_;
  std::vector<Open> open_;
  std::size_t bytes_ = 0;
  std::uint32_t includes_ = 0;
  std::string cluster_;  // its name, so far
  std::vector<SlurmLine> out_;
};

}  // namespace

bool same_key(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

const std::string* SlurmLine::find(std::string_view key) const {
  const auto at =
      std::find_if(settings.rbegin(), settings.rend(),
                   [&](const SlurmSetting& setting) { return same_key(setting.key, key); });
  return at == settings.rend() ? nullptr : &at->value;
}

const std::string* SlurmDefaults::find(const SlurmLine& line, std::string_view key) const {
  if (const std::string* value = line.find(key)) return value;
  const auto at = std::ranges::find_if(
      settings_, [&](const SlurmSetting& setting) { return same_key(setting.key, key); });
  return at == settings_.end() ? nullptr : &at->value;
}

void SlurmDefaults::add(const SlurmLine& line) {
  for (const SlurmSetting& setting : line.settings) {
    std::erase_if(settings_, [&](const auto& old) { return same_key(old.key, setting.key); });
    settings_.push_back(setting);
  }
}

Result<std::vector<SlurmLine>> read_slurm_lines(std::string_view text, std::string_view file,
                                                const SlurmFiles& files) {
  return LinesReader(files).read(text, file);
}

}  // namespace copse
