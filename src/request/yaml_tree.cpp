// SPDX-License-Identifier: Apache-2.0
#include "request/yaml_tree.hpp"

#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "request/json_tree.hpp"

namespace copse {
namespace {

// Offsets into the text of a tree have 32 bits, and an escape ("\L") can take 3 bytes for its 2.
constexpr std::size_t kTextBytesMax = std::size_t{1} << 30;
constexpr std::size_t kShownBytesMax = 200;
constexpr std::uint32_t kFewKeys = 16;  // up to here comparing all pairs is faster than sorting

// libyaml compares each %TAG with all before it: a text of nothing else would take minutes.
constexpr std::size_t kTagDirectivesMax = 100;

using KeyAndNumber = std::pair<std::string_view, std::uint32_t>;

// libyaml counts lines and columns from 0.
std::uint32_t from_one(std::size_t from_zero) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(from_zero, UINT32_MAX - 1) + 1);
}

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string_view file, const JobspecLimits& limits)
      : file_(file), builder_(file, text.size(), limits) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  YamlReader(const YamlReader&) = delete;
  YamlReader& operator=(const YamlReader&) = delete;
  ~YamlReader() {
    if (ready_) yaml_parser_delete(&parser_);
  }

  Result<Tree> read() {
    if (!ready_) return fail(ErrorCode::limit, "out of memory while reading YAML", {file_});
    for (bool done = false; !done;) {
      yaml_event_t event;
      if (yaml_parser_parse(&parser_, &event) == 0) return syntax_error();
      done = event.type == YAML_STREAM_END_EVENT;
      auto taken = take(event);
      yaml_event_delete(&event);
      if (!taken) return std::unexpected(std::move(taken.error()));
    }
    if (documents_ == 0) {  // an empty text is null, as YAML's empty document is
      if (auto null = builder_.scalar({}, true, 1, 1); !null) return std::unexpected(null.error());
    }
    return builder_.finish();
  }

 private:
  Result<void> take(const yaml_event_t& event) {
    const std::uint32_t line = from_one(event.start_mark.line);
    const std::uint32_t column = from_one(event.start_mark.column);
    const auto refuse_alias = [&] {
      return fail(ErrorCode::invalid, "YAML aliases are not accepted", {file_, line, column});
    };
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        if (++documents_ == 1) return {};
        return fail(ErrorCode::invalid, "the text has more than one YAML document",
                    {file_, line, column});
      case YAML_ALIAS_EVENT: return refuse_alias();
      case YAML_SCALAR_EVENT: {
        const auto& scalar = event.data.scalar;
        if (scalar.anchor != nullptr) return refuse_alias();
        return builder_.scalar({reinterpret_cast<const char*>(scalar.value), scalar.length},
                               scalar.style == YAML_PLAIN_SCALAR_STYLE, line, column);
      }
      case YAML_SEQUENCE_START_EVENT:
        if (event.data.sequence_start.anchor != nullptr) return refuse_alias();
        return builder_.open(TreeNode::Kind::sequence, line, column);
      case YAML_MAPPING_START_EVENT:
        if (event.data.mapping_start.anchor != nullptr) return refuse_alias();
        return builder_.open(TreeNode::Kind::mapping, line, column);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT: return builder_.close();
      default: return {};
    }
  }

  [[nodiscard]] std::unexpected<Error> syntax_error() const {
    if (parser_.error == YAML_MEMORY_ERROR) {
      return fail(ErrorCode::limit, "out of memory while reading YAML", {file_});
    }
    // Errors of the character reader come with an offset only; the scanner stands close to it.
    const bool marked = parser_.error != YAML_READER_ERROR;
    const yaml_mark_t& mark = marked ? parser_.problem_mark : parser_.mark;
    std::string text = fmt::format("YAML: {}", parser_.problem ? parser_.problem : "syntax error");
    return fail(ErrorCode::invalid, std::move(text),
                {file_, from_one(mark.line), from_one(mark.column)});
  }

  std::string file_;
  TreeBuilder builder_;
  yaml_parser_t parser_;
  bool ready_ = false;
  int documents_ = 0;
};

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

}  // namespace

bool TreeView::is_null() const {
  if (!is(TreeNode::Kind::scalar) || !node().plain) return false;
  const std::string_view word = text();
  return word.empty() || word == "~" || word == "null" || word == "Null" || word == "NULL";
}

std::optional<TreeView> TreeView::find(std::string_view key) const {
  if (!is_mapping()) return std::nullopt;
  for (auto name = first_child(); name;) {
    const auto value = name->next();
    if (name->text() == key) return value;
    name = value->next();
  }
  return std::nullopt;
}

TreeBuilder::TreeBuilder(std::string_view file, std::size_t text_bytes, const JobspecLimits& limits)
    : events_max_(limits.events_max), depth_max_(std::min(limits.depth_max, kTreeDepthMax)) {
  tree_.file = file;
  // Room for an ordinary jobspec, whatever the length of this text claims.
  tree_.nodes.reserve(std::min<std::size_t>(text_bytes / 8 + 1, 256));
  tree_.text.reserve(std::min<std::size_t>(text_bytes, 4096));
  open_.reserve(16);
}

Result<void> TreeBuilder::count_event(std::uint32_t line, std::uint32_t column) {
  if (events_ == events_max_) {
    return fail_at(ErrorCode::limit, fmt::format("more than {} YAML events", events_max_), line,
                   column);
  }
  ++events_;
  return {};
}

Result<void> TreeBuilder::add(const TreeNode& node) {
  if (auto counted = count_event(node.line, node.column); !counted) return counted;
  const auto number = static_cast<std::uint32_t>(tree_.nodes.size());
  if (!open_.empty()) {
    OpenCollection& parent = open_.back();
    TreeNode& parent_node = tree_.nodes[parent.number];
    const bool is_key =
        parent_node.kind == TreeNode::Kind::mapping && parent_node.children % 2 == 0;
    if (is_key && node.kind != TreeNode::Kind::scalar) {
      return fail_at(ErrorCode::invalid, "a key of a mapping is not a scalar", node.line,
                     node.column);
    }
    ++parent_node.children;
    if (parent.last_child == 0) {
      parent_node.first_child = number;
    } else {
      tree_.nodes[parent.last_child].next = number;
    }
    parent.last_child = number;
  }
  tree_.nodes.push_back(node);
  return {};
}

Result<void> TreeBuilder::open(TreeNode::Kind kind, std::uint32_t line, std::uint32_t column) {
  if (open_.size() >= depth_max_) {
    return fail_at(ErrorCode::limit, fmt::format("nested deeper than {} levels", depth_max_), line,
                   column);
  }
  auto added = add({.kind = kind, .line = line, .column = column});
  if (added) open_.push_back({.number = static_cast<std::uint32_t>(tree_.nodes.size() - 1)});
  return added;
}

Result<void> TreeBuilder::close() {
  const std::uint32_t number = open_.back().number;
  open_.pop_back();
  const TreeNode& node = tree_.nodes[number];
  if (auto counted = count_event(node.line, node.column); !counted) return counted;
  return node.kind == TreeNode::Kind::mapping ? check_keys(number) : Result<void>();
}

Result<void> TreeBuilder::scalar(std::string_view text, bool plain, std::uint32_t line,
                                 std::uint32_t column) {
  const auto begin = static_cast<std::uint32_t>(tree_.text.size());
  tree_.text.append(text);
  return add({.plain = plain,
              .line = line,
              .column = column,
              .text_begin = begin,
              .text_size = static_cast<std::uint32_t>(text.size())});
}

Result<void> TreeBuilder::check_keys(std::uint32_t mapping) const {
  const auto text_of = [this](const TreeNode& node) {
    return std::string_view(tree_.text).substr(node.text_begin, node.text_size);
  };
  const auto refuse = [&](std::uint32_t number) {
    const TreeNode& key = tree_.nodes[number];
    return fail_at(ErrorCode::invalid,
                   fmt::format("key \"{}\" is given twice", shown(text_of(key))), key.line,
                   key.column);
  };
  const auto next_key = [this](std::uint32_t key) {  // 0 after the last
    return tree_.nodes[tree_.nodes[key].next].next;
  };
  const TreeNode& node = tree_.nodes[mapping];
  if (node.children / 2 <= kFewKeys) {
    for (std::uint32_t key = node.first_child; key != 0; key = next_key(key)) {
      const std::string_view text = text_of(tree_.nodes[key]);
      for (std::uint32_t before = node.first_child; before != key; before = next_key(before)) {
        if (text_of(tree_.nodes[before]) == text) return refuse(key);
      }
    }
    return {};
  }
  std::vector<KeyAndNumber> keys;
  keys.reserve(node.children / 2);
  for (std::uint32_t key = node.first_child; key != 0; key = next_key(key)) {
    keys.emplace_back(text_of(tree_.nodes[key]), key);
  }
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys, {}, &KeyAndNumber::first);
  return twice == keys.end() ? Result<void>() : refuse(std::next(twice)->second);
}

Result<Tree> read_tree(std::string_view text, std::string_view file, const JobspecLimits& limits) {
  const std::size_t bytes_max = std::min(limits.text_bytes_max, kTextBytesMax);
  if (text.size() > bytes_max) {
    return fail(ErrorCode::limit, fmt::format("the text is longer than {} bytes", bytes_max),
                {std::string(file)});
  }
  if (auto checked = check_utf8(text, file); !checked) return std::unexpected(checked.error());
  // JSON is read by itself: libyaml takes no surrogate pairs ("\ud83d\ude00"), no key longer than
  // 1024 characters or apart from its colon, and no tab before the first brace. What is not strict
  // JSON may still be YAML in flow style.
  if (looks_like_json(text)) {
    if (auto tree = read_json_tree(text, file, limits)) return std::move(*tree);
  }
  if (auto checked = check_tag_directives(text, file); !checked) {
    return std::unexpected(checked.error());
  }
  return YamlReader(text, file, limits).read();
}

std::string shown(std::string_view text) {
  const bool cut = text.size() > kShownBytesMax;
  if (cut) {
    std::size_t end = kShownBytesMax;
    while (end > 0 && is_utf8_continuation(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string out(text);
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  if (cut) out += "…";
  return out;
}

}  // namespace copse
