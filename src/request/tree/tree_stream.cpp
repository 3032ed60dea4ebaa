// SPDX-License-Identifier: Apache-2.0
#include "request/tree/tree_stream.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "request/tree/json_tree.hpp"

namespace copse {
namespace {

// Offsets into the text of a tree have 32 bits, and an escape ("\L") can take 3 bytes for its 2.
constexpr std::size_t kTextBytesMax = std::size_t{1} << 30;

// libyaml compares each %TAG with all before it: a text of nothing else would take minutes.
constexpr std::size_t kTagDirectivesMax = 100;

// libyaml counts lines and columns from 0.
std::uint32_t from_one(std::size_t from_zero) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(from_zero, UINT32_MAX - 1) + 1);
}

}  // namespace

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string_view file, const JobspecLimits& limits)
      : file_(file), text_bytes_(text.size()), limits_(limits) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;
  ~YamlReader() {
    yaml_event_delete(&event_);
    if (ready_) yaml_parser_delete(&parser_);
  }

  // Goes to the next document, over what is left of one that was refused: false at the end.
  Result<bool> begin() {
    std::uint32_t depth = 0, events = 0;
    for (;;) {
      if (!next_event()) return syntax_error();
      switch (event_.type) {
        case YAML_STREAM_END_EVENT: return false;
        case YAML_DOCUMENT_START_EVENT: start_ = event_.start_mark; return true;
        case YAML_SEQUENCE_START_EVENT:
        case YAML_MAPPING_START_EVENT: ++depth; break;
        case YAML_SEQUENCE_END_EVENT:
        case YAML_MAPPING_END_EVENT: depth -= depth == 0 ? 0 : 1; break;
        default: break;
      }
      if (++events > limits_.events_max || depth > limits_.depth_max) {
        return fail(ErrorCode::limit, "too much of a document that was refused is left", start());
      }
    }
  }

  // The document where the reader stands. REQUIRES that begin() gave true.
  Result<Tree> document() {
    TreeBuilder builder(file_, text_bytes_, limits_);
    for (;;) {
      if (!next_event()) return syntax_error();
      if (event_.type == YAML_DOCUMENT_END_EVENT) return builder.finish();
      if (auto taken = take(builder); !taken) return std::unexpected(std::move(taken.error()));
    }
  }

  [[nodiscard]] SourceLocation start() const { return place(start_); }  // of the document
  [[nodiscard]] bool broken() const { return broken_; }                 // a syntax error was met

 private:
  // Reads into event_, which is moved nowhere: there are dozens of events in a jobspec. False:
  // syntax_error() says why.
  [[nodiscard]] bool next_event() {
    yaml_event_delete(&event_);
    return ready_ && yaml_parser_parse(&parser_, &event_) != 0;
  }

  [[nodiscard]] SourceLocation place(const yaml_mark_t& mark) const {
    return {std::string(file_), from_one(mark.line), from_one(mark.column)};
  }

  // Hands event_ on.
  Result<void> take(TreeBuilder& builder) {
    const yaml_mark_t& at = event_.start_mark;
    const std::uint32_t line = from_one(at.line), column = from_one(at.column);
    const auto& data = event_.data;
    const auto refuse_alias = [&] {
      return fail(ErrorCode::invalid, "YAML aliases are not accepted", place(at));
    };
    switch (event_.type) {
      case YAML_ALIAS_EVENT: return refuse_alias();
      case YAML_SCALAR_EVENT:
        if (data.scalar.anchor != nullptr) return refuse_alias();
        return builder.scalar(
            {reinterpret_cast<const char*>(data.scalar.value), data.scalar.length},
            data.scalar.style == YAML_PLAIN_SCALAR_STYLE, line, column,
            at.line == event_.end_mark.line);
      case YAML_SEQUENCE_START_EVENT:
        if (data.sequence_start.anchor != nullptr) return refuse_alias();
        return builder.open(TreeNode::Kind::sequence, line, column);
      case YAML_MAPPING_START_EVENT:
        if (data.mapping_start.anchor != nullptr) return refuse_alias();
        return builder.open(TreeNode::Kind::mapping, line, column);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return builder.close();
      default: return {};
    }
  }

  [[nodiscard]] std::unexpected<Error> syntax_error() {
    if (!ready_ || parser_.error == YAML_MEMORY_ERROR) {
      return fail(ErrorCode::limit, "out of memory while reading YAML", {std::string(file_)});
    }
    broken_ = true;
    // Errors of the character reader come with an offset only; the scanner stands close to it.
    const bool marked = parser_.error != YAML_READER_ERROR;
    std::string text = fmt::format("YAML: {}", parser_.problem ? parser_.problem : "syntax error");
    return fail(ErrorCode::invalid, std::move(text),
                place(marked ? parser_.problem_mark : parser_.mark));
  }

  std::string_view file_;
  std::size_t text_bytes_;
  JobspecLimits limits_;
  yaml_parser_t parser_;
  yaml_event_t event_{};
  yaml_mark_t start_{};
  bool ready_ = false, broken_ = false;
};

namespace {

Result<void> check_utf8(std::string_view text, std::string_view file) {
  const std::size_t offset = first_invalid_utf8(text);
  if (offset == std::string_view::npos) return {};
  TextPosition position;
  position.advance(text, offset);
  return fail(ErrorCode::invalid, fmt::format("the text is not UTF-8 at byte {}", offset),
              {std::string(file), position.line, position.column});
}

Result<void> check_tag_directives(std::string_view text, std::string_view file) {
  constexpr std::string_view kDirective = "%TAG";
  std::size_t count = 0;
  std::size_t at = text.find(kDirective);
  for (; at != std::string_view::npos; at = text.find(kDirective, at + kDirective.size())) {
    // A directive starts its line. YAML's line breaks beyond ASCII end in a byte above 0x7f.
    const auto before = at == 0 ? '\n' : text[at - 1];
    const bool starts_line = before == '\n' || before == '\r' || (before & 0x80) != 0;
    if (starts_line && ++count > kTagDirectivesMax) {
      TextPosition position;
      position.advance(text, at);
      return fail(ErrorCode::limit, fmt::format("more than {} %TAG directives", kTagDirectivesMax),
                  {std::string(file), position.line, position.column});
    }
  }
  return {};
}

// What must hold for the text as a whole.
Result<void> check_text(std::string_view text, std::string_view file, const JobspecLimits& limits) {
  const std::size_t bytes_max = std::min(limits.text_bytes_max, kTextBytesMax);
  if (text.size() > bytes_max) {
    return fail(ErrorCode::limit, fmt::format("the text is longer than {} bytes", bytes_max),
                {std::string(file)});
  }
  return check_utf8(text, file);
}

// An empty text is null, as YAML's empty document is.
Result<Tree> null_tree(std::string_view file, const JobspecLimits& limits) {
  TreeBuilder builder(file, 0, limits);
  if (auto null = builder.scalar({}, true, 1, 1); !null) return std::unexpected(null.error());
  return builder.finish();
}

}  // namespace

TreeStream::TreeStream(std::string_view text, std::string_view file, const JobspecLimits& limits)
    : text_(text), file_(file), limits_(limits) {}
TreeStream::TreeStream(TreeStream&&) noexcept = default;
TreeStream& TreeStream::operator=(TreeStream&&) noexcept = default;
TreeStream::~TreeStream() = default;

std::unexpected<Error> TreeStream::stop(Error error) {
  ended_ = true;
  return std::unexpected(std::move(error));
}

// JSON is read by itself: libyaml takes no surrogate pairs ("\ud83d\ude00"), no key longer than
// 1024 characters or apart from its colon, and no tab before the first brace. What is not strict
// JSON may still be YAML in flow style.
std::optional<Result<Tree>> TreeStream::first() {
  started_ = true;
  auto checked = check_text(text_, file_, limits_);
  if (checked && looks_like_json(text_)) {
    if (auto tree = read_json_tree(text_, file_, limits_)) {
      ended_ = true;
      return tree;
    }
  }
  if (checked) checked = check_tag_directives(text_, file_);
  if (!checked) {
    broken_ = true;
    return stop(std::move(checked.error()));
  }
  reader_ = std::make_unique<YamlReader>(text_, file_, limits_);
  return std::nullopt;
}

std::optional<Result<Tree>> TreeStream::next() {
  if (ended_) return std::nullopt;
  const bool is_first = !started_;
  if (is_first) {
    if (auto tree = first()) return tree;
  }
  auto more = reader_->begin();
  if (more && !*more) {
    ended_ = true;
    if (is_first) return null_tree(file_, limits_);
    return std::nullopt;
  }
  Result<Tree> tree = more ? reader_->document() : std::unexpected(std::move(more.error()));
  broken_ = reader_->broken();
  if (!tree && (broken_ || tree.error().code == ErrorCode::limit)) {
    return stop(std::move(tree.error()));
  }
  return tree;
}

Result<void> TreeStream::expect_end() {
  if (ended_) return {};
  const auto more = reader_->begin();
  if (!more) return std::unexpected(more.error());
  if (!*more) return {};
  return fail(ErrorCode::invalid, "the text has more than one YAML document", reader_->start());
}

Result<Tree> read_tree(std::string_view text, std::string_view file, const JobspecLimits& limits) {
  TreeStream stream(text, file, limits);
  auto tree = *stream.next();  // every text has a document
  if (!tree) return tree;
  if (auto end = stream.expect_end(); !end) return std::unexpected(std::move(end.error()));
  return tree;
}

}  // namespace copse
