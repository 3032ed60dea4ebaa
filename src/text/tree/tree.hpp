// SPDX-License-Identifier: Apache-2.0
//
// A document as a bounded tree of scalars, sequences and mappings, whether it was YAML (yaml_tree.hpp),
// JSON (json_tree.hpp) or TOML (toml_tree.hpp).
//
// Invariants: nodes are in document order (of TOML: the keys of a table are sorted), node 0 is the root;
// a mapping's children are key, value, key, value …; each key is a scalar and occurs once; nesting is
// at most kTreeDepthMax, so that recursion over a tree is bounded. A tree never changes once it is read.
// Cost: 32 bytes a node, plus the text of its scalars; of JSON the whole document, whose parts they are.
// A mapping of n keys is checked in O(n log n).
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "copse/error.hpp"

namespace copse {

inline constexpr std::uint32_t kTreeDepthMax = 1000;  // also if TreeLimits::depth_max is more

struct TreeLimits {
  std::size_t text_bytes_max = 16u << 20;
  std::uint32_t depth_max = 64;        // nesting of collections
  std::uint32_t events_max = 200'000;  // scalars, and starts and ends of collections
};

struct TreeNode {
  enum class Kind : std::uint8_t { scalar, sequence, mapping };
  Kind kind = Kind::scalar;
  bool plain = false;    // a scalar without quotes; in JSON and TOML all but strings
  bool one_line = true;  // a scalar that begins and ends on one line
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t children = 0;     // of a mapping: keys and values
  std::uint32_t first_child = 0;  // 0: none
  std::uint32_t next = 0;         // sibling; 0: none
  std::uint32_t text_begin = 0;
  std::uint32_t text_size = 0;
};

struct Tree {
  std::string file;
  std::vector<TreeNode> nodes;
  std::string text;  // has those of all scalars
};

class TreeEntries;
class TreeMembers;

// A node of a tree. Valid as long as the tree exists.
class TreeView {
 public:
  explicit TreeView(const Tree& tree, std::uint32_t number = 0) : tree_(&tree), number_(number) {}

  // null (YAML: nothing, "~" or "null" without quotes) is neither scalar, sequence nor mapping.
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_scalar() const { return is(TreeNode::Kind::scalar) && !is_null(); }
  [[nodiscard]] bool is_sequence() const { return is(TreeNode::Kind::sequence); }
  [[nodiscard]] bool is_mapping() const { return is(TreeNode::Kind::mapping); }
  [[nodiscard]] bool is_quoted_string() const {
    return is(TreeNode::Kind::scalar) && !node().plain;
  }

  [[nodiscard]] bool is_plain() const { return is_scalar() && !is_quoted_string(); }

  // The text of a scalar; empty for a collection.
  [[nodiscard]] std::string_view text() const {
    return {tree_->text.data() + node().text_begin, node().text_size};
  }
  [[nodiscard]] SourceLocation place() const { return {tree_->file, node().line, node().column}; }
  // Of a scalar on one line: where its text begins, after the quote if there is one. As long as
  // nothing is escaped before it, character n of the text is n columns on. nullopt: on several.
  [[nodiscard]] std::optional<SourceLocation> text_place() const {
    if (!is(TreeNode::Kind::scalar) || !node().one_line) return std::nullopt;
    return SourceLocation{tree_->file, node().line, node().column + (node().plain ? 0U : 1U)};
  }

  // Entries of a sequence, key-value pairs of a mapping.
  [[nodiscard]] std::uint32_t size() const {
    return is_mapping() ? node().children / 2 : node().children;
  }
  [[nodiscard]] std::optional<TreeView> first_child() const { return at(node().first_child); }
  [[nodiscard]] std::optional<TreeView> next() const { return at(node().next); }
  // for (const TreeView entry : list.entries()); of a mapping: keys and values in turn.
  [[nodiscard]] TreeEntries entries() const;
  // for (const auto& [key, value] : mapping.members()); of another node: none.
  [[nodiscard]] TreeMembers members() const;
  // The value of a key of a mapping; none if there is no such key or this is not a mapping. O(size()).
  [[nodiscard]] std::optional<TreeView> find(std::string_view key) const;

  // The value of a scalar without quotes; none if it is something else.
  [[nodiscard]] std::optional<std::int64_t> integer()
      const;                                         // of 64 bits, without fraction and exponent
  [[nodiscard]] std::optional<double> real() const;  // also an integer; TOML: also inf and nan
  [[nodiscard]] std::optional<bool> truth() const;   // true or false

  // The value of a member, if it has this type.
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const;
  [[nodiscard]] std::string_view word(std::string_view key) const;  // in quotes; "": none
  [[nodiscard]] bool is_true(std::string_view key) const;           // false: none
  // The entries of a member; none if there is no such list.
  [[nodiscard]] TreeEntries list(std::string_view key) const;

  // The same, or an error at this node. `what` is its name in the sentence.
  [[nodiscard]] Result<std::string> read_text(
      std::string_view what) const;  // "`what` must be a string"
  [[nodiscard]] Result<TreeView> read_table(
      std::string_view what) const;  // "`what` must be a table"
  [[nodiscard]] Result<bool> read_truth(
      std::string_view what) const;  // "\"`what`\" is not true or false"
  // From `least` to `most`; 3600.0 and 3.6e3 are whole, as programs without integers write them.
  [[nodiscard]] Result<std::int64_t> read_whole(std::string_view what, std::int64_t least,
                                                std::int64_t most) const;
  // A string, a number or a truth value of 1 to `bytes_max` bytes.
  [[nodiscard]] Result<std::string> read_name(std::string_view what, std::size_t bytes_max) const;

  // `return node.fail("…")` in a function that returns Result: an error at this node.
  [[nodiscard]] std::unexpected<Error> fail(std::string text,
                                            ErrorCode code = ErrorCode::invalid) const {
    return copse::fail(code, std::move(text), place());
  }

 private:
  [[nodiscard]] const TreeNode& node() const { return tree_->nodes[number_]; }
  [[nodiscard]] bool is(TreeNode::Kind kind) const { return node().kind == kind; }
  [[nodiscard]] std::optional<TreeView> at(std::uint32_t number) const {
    return number == 0 ? std::nullopt : std::optional<TreeView>(TreeView(*tree_, number));
  }

  const Tree* tree_;
  std::uint32_t number_;
};

class TreeEntries {
 public:
  struct Iterator {
    std::optional<TreeView> at;
    TreeView operator*() const { return *at; }
    Iterator& operator++() {
      at = at->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !at; }
  };
  explicit TreeEntries(std::optional<TreeView> first) : first_(first) {}
  [[nodiscard]] Iterator begin() const { return {first_}; }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  std::optional<TreeView> first_;
};

struct TreeMember {
  TreeView key, value;
};

class TreeMembers {
 public:
  struct Iterator {
    std::optional<TreeView> key;
    TreeMember operator*() const { return {*key, *key->next()}; }
    Iterator& operator++() {
      key = key->next()->next();
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return !key; }
  };
  explicit TreeMembers(std::optional<TreeView> first_key) : first_key_(first_key) {}
  [[nodiscard]] Iterator begin() const { return {first_key_}; }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  std::optional<TreeView> first_key_;
};

inline TreeEntries TreeView::entries() const { return TreeEntries(first_child()); }
inline TreeEntries TreeView::list(std::string_view key) const {
  const auto member = find(key);
  return TreeEntries(member ? member->first_child() : std::nullopt);
}
inline TreeMembers TreeView::members() const {
  return TreeMembers(is_mapping() ? first_child() : std::nullopt);
}

// Builds a tree from events in document order and checks its bounds. The readers of YAML, JSON and
// TOML call it; each ensures that open and close pair up. What is done for each node is inline: a
// jobspec has 50 of them.
class TreeBuilder {
 public:
  // `text_bytes`: of the document, about.
  TreeBuilder(std::string_view file, std::size_t text_bytes, const TreeLimits& limits);
  // Keeps the document, with `zeros` bytes behind it that its reader may read: most scalars are parts
  // of it. It stays where it is, also in the tree. REQUIRES that all texts given to scalar() together
  // are not longer than the document.
  TreeBuilder(std::string_view file, std::string_view document, std::size_t zeros,
              const TreeLimits& limits);

  // Of the document that is kept.
  [[nodiscard]] const char* document() const { return tree_.text.data(); }

  // An event: the start of a collection, its end, a scalar. Errors: limit, invalid (a key that is
  // given twice or is not a scalar).
  [[nodiscard]] Result<void> open(TreeNode::Kind kind, std::uint32_t line, std::uint32_t column) {
    if (depth_ >= depth_max_) return too_deep(line, column);
    const auto number = static_cast<std::uint32_t>(tree_.nodes.size());
    auto added = add(kind, false, true, line, column, open_, 0);
    open_ = number;
    ++depth_;
    return added;
  }
  [[nodiscard]] Result<void> close() {
    const std::uint32_t number = open_;
    TreeNode& node = tree_.nodes[number];
    open_ = std::exchange(node.text_begin, 0);
    node.text_size = 0;
    --depth_;
    if (events_ == events_max_) return too_many_events(node.line, node.column);
    ++events_;
    return node.kind == TreeNode::Kind::mapping ? check_keys(node) : Result<void>();
  }
  [[nodiscard]] Result<void> scalar(std::string_view text, bool plain, std::uint32_t line,
                                    std::uint32_t column, bool one_line = true) {
    const std::size_t begin = tree_.text.size();
    tree_.text.append(text);
    return add_scalar(begin, text.size(), plain, line, column, one_line);
  }
  // The same, of a text that is a part of the document.
  [[nodiscard]] Result<void> part(std::string_view text, bool plain, std::uint32_t line,
                                  std::uint32_t column) {
    const auto begin = static_cast<std::size_t>(text.data() - document());
    return add_scalar(begin, text.size(), plain, line, column, true);
  }

  [[nodiscard]] Tree finish() { return std::move(tree_); }

 private:
  TreeBuilder(std::string_view file, const TreeLimits& limits, std::size_t text_bytes);

  [[nodiscard]] std::unexpected<Error> too_deep(std::uint32_t line, std::uint32_t column) const;
  [[nodiscard]] std::unexpected<Error> too_many_events(std::uint32_t line,
                                                       std::uint32_t column) const;
  [[nodiscard]] std::unexpected<Error> no_key(std::uint32_t line, std::uint32_t column) const;
  [[nodiscard]] Result<void> check_keys(const TreeNode& mapping) const;
  [[nodiscard]] std::unexpected<Error> fail_at(ErrorCode code, std::string text, std::uint32_t line,
                                               std::uint32_t column) const {
    return fail(code, std::move(text), SourceLocation{tree_.file, line, column});
  }

  [[nodiscard]] Result<void> add_scalar(std::size_t begin, std::size_t size, bool plain,
                                        std::uint32_t line, std::uint32_t column, bool one_line) {
    return add(TreeNode::Kind::scalar, plain, one_line, line, column,
               static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(size));
  }
  // The node is made where it stays: a processor waits for what was written in parts and is copied as a
  // whole.
  [[nodiscard]] Result<void> add(TreeNode::Kind kind, bool plain, bool one_line, std::uint32_t line,
                                 std::uint32_t column, std::uint32_t text_begin,
                                 std::uint32_t text_size) {
    if (events_ == events_max_) return too_many_events(line, column);
    ++events_;
    if (depth_ > 0) {
      const auto number = static_cast<std::uint32_t>(tree_.nodes.size());
      TreeNode& parent = tree_.nodes[open_];
      const bool is_key = parent.kind == TreeNode::Kind::mapping && parent.children % 2 == 0;
      if (is_key && kind != TreeNode::Kind::scalar) return no_key(line, column);
      ++parent.children;
      const std::uint32_t last = std::exchange(parent.text_size, number);
      (last == 0 ? parent.first_child : tree_.nodes[last].next) = number;
    }
    tree_.nodes.emplace_back(kind, plain, one_line, line, column, 0U, 0U, 0U, text_begin,
                             text_size);
    return {};
  }

  // While a collection is open, its text_begin is the collection around it, and its text_size its
  // last child: it has no text.
  Tree tree_;
  std::uint32_t open_ = 0;  // the innermost one, if there are any
  std::uint32_t depth_ = 0;
  std::uint32_t events_ = 0;
  std::uint32_t events_max_;
  std::uint32_t depth_max_;
};

// `text` for use in a message: cut after 200 bytes, control characters replaced.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace copse
