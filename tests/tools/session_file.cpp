// SPDX-License-Identifier: Apache-2.0
#include "tools/session_file.hpp"

#include <algorithm>
#include <charconv>

namespace copse {

namespace {

constexpr std::uint32_t kRepeatMax = 100'000;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// Words between blanks; blanks between double quotes are part of a word, and "" is an empty one.
std::vector<std::string> words_in(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false, in_quotes = false;
  for (char c : line) {
    if (c == '"') {
      in_quotes = !in_quotes;
      if (!in_word) words.emplace_back();
      in_word = true;
    } else if (c == ' ' && !in_quotes) {
      in_word = false;
    } else {
      if (!in_word) words.emplace_back();
      words.back() += c;
      in_word = true;
    }
  }
  return words;
}

bool holds(std::string_view pattern, std::string_view line) {
  std::size_t p = 0, l = 0, star = std::string_view::npos, from = 0;
  while (l < line.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = l;
    } else if (p < pattern.size() && pattern[p] == line[l]) {
      ++p;
      ++l;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      l = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Which patterns may be next, the last entry for "all done"; after each line of text.
using Reached = std::vector<bool>;

void skip_any(const std::vector<std::string>& patterns, Reached& reached) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (reached[i] && patterns[i] == "...") reached[i + 1] = true;
  }
}

Reached start(const std::vector<std::string>& patterns) {
  Reached reached(patterns.size() + 1, false);
  reached[0] = true;
  skip_any(patterns, reached);
  return reached;
}

Reached after(const std::vector<std::string>& patterns, const Reached& reached,
              std::string_view line) {
  Reached next(reached.size(), false);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (!reached[i]) continue;
    if (patterns[i] == "...") {
      next[i] = true;
    } else if (holds(patterns[i], line)) {
      next[i + 1] = true;
    }
  }
  skip_any(patterns, next);
  return next;
}

class SessionParser {
 public:
  explicit SessionParser(const std::string& file) : file_(file) {}

  Result<SessionFile> run(std::string_view text) {
    for (std::string_view line : lines_of(text)) {
      ++line_;
      if (auto ok = take(line); !ok) return std::unexpected(ok.error());
    }
    if (!in_sections_) return wrong("there is no section");
    for (const auto& [name, lines] : inputs_) {
      std::string& to = name == "stdin" ? out_.input : out_.files[name];
      for (const std::string& l : lines) to += l + '\n';
    }
    if (out_.each.empty()) out_.each.emplace_back();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::unexpected<Error> wrong(const std::string& why) const {
    return fail(ErrorCode::invalid, why, {file_, line_, 0});
  }

  Result<void> take(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    if (in_sections_ && digits < line.size() && line[digits] == '|') {
      return block_line(line.substr(0, digits), line.substr(digits + 1));
    }
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    if (colon != std::string_view::npos && section(name, line.substr(colon + 1))) {
      in_sections_ = true;
      return {};
    }
    if (!in_sections_) {
      out_.about += std::string(line) + '\n';
      return {};
    }
    if (line.empty()) return {};
    return wrong("this is neither a section nor a line of a block");
  }

  Result<void> block_line(std::string_view digits, std::string_view text) {
    if (block_ == nullptr) return wrong("this section has no block");
    std::uint32_t times = 1;
    if (!digits.empty()) {
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), times);
      if (read.ec != std::errc() || times > kRepeatMax) return wrong("too many repetitions");
    }
    block_->insert(block_->end(), times, std::string(text));
    return {};
  }

  // False if there is no section of that name.
  bool section(std::string_view name, std::string_view rest) {
    block_ = nullptr;
    if (name == "args") {
      out_.args = words_in(rest);
    } else if (name == "each") {
      out_.each.push_back(words_in(rest));
    } else if (name == "program") {
      out_.program = words_in(rest).at(0);
    } else if (name == "exit") {
      out_.status = std::stoi(std::string(rest));
    } else if (name == "stdin") {
      block_ = &inputs_["stdin"];
    } else if (name == "stdout") {
      block_ = &out_.output;
    } else if (name == "stderr") {
      block_ = &out_.errors;
    } else if (name.starts_with("file ")) {
      block_ = &inputs_[std::string(name.substr(5))];
    } else if (name.starts_with("out ")) {
      block_ = &out_.made[std::string(name.substr(4))];
    } else {
      return false;
    }
    return true;
  }

  const std::string& file_;
  SessionFile out_;
  std::map<std::string, std::vector<std::string>> inputs_;
  std::vector<std::string>* block_ = nullptr;
  std::uint32_t line_ = 0;
  bool in_sections_ = false;
};

}  // namespace

Result<SessionFile> parse_session(std::string_view text, const std::string& file) {
  return SessionParser(file).run(text);
}

bool matches(const std::vector<std::string>& patterns, std::string_view text) {
  if (!text.empty() && text.back() != '\n') return false;
  Reached reached = start(patterns);
  for (std::string_view line : lines_of(text)) reached = after(patterns, reached, line);
  return reached.back();
}

std::size_t first_difference(const std::vector<std::string>& patterns, std::string_view text) {
  Reached reached = start(patterns);
  std::size_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    reached = after(patterns, reached, line);
    if (std::find(reached.begin(), reached.end(), true) == reached.end()) return number;
  }
  return number + 1;
}

}  // namespace copse
