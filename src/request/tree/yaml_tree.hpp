// SPDX-License-Identifier: Apache-2.0
//
// A jobspec as a bounded tree of scalars, sequences and mappings, whether it was YAML or JSON.
//
// Invariants: nodes are in document order, node 0 is the root; a mapping's children are key, value,
// key, value …, each key is a scalar and stands there once; nesting is at most
// kTreeDepthMax, so that recursion over a tree is bounded. A tree never changes once it is read.
// Cost: 36 bytes a node plus the text of its scalars; a mapping of n keys is checked in O(n log n).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "copse/request.hpp"

namespace copse {

inline constexpr std::uint32_t kTreeDepthMax = 1000;  // whatever JobspecLimits::depth_max says

struct TreeNode {
  enum class Kind : std::uint8_t { scalar, sequence, mapping };
  Kind kind = Kind::scalar;
  bool plain = false;    // a scalar without quotes; in JSON a number, true, false or null
  bool one_line = true;  // a scalar that stands on its line from begin to end
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
  std::string text;  // of all scalars, end to end
};

// A node of a tree, as the readers of requests see it. Valid while the tree lives.
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

  // The text of a scalar; empty for a collection.
  [[nodiscard]] std::string_view text() const {
    return std::string_view(tree_->text).substr(node().text_begin, node().text_size);
  }
  [[nodiscard]] SourceLocation place() const { return {tree_->file, node().line, node().column}; }
  // Of a scalar on one line: where its text begins, behind the quote if there is one. As long as
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
  // The value of a key of a mapping. O(size()).
  [[nodiscard]] std::optional<TreeView> find(std::string_view key) const;

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

// Builds a tree from events in document order and checks its bounds. The readers are the YAML and
// the JSON reader; both see to it that open and close pair up.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view file, std::size_t text_bytes, const JobspecLimits& limits);

  // An event: the start of a collection, its end, a scalar. Errors: limit, invalid (a key that is
  // given twice or is not a scalar).
  [[nodiscard]] Result<void> open(TreeNode::Kind kind, std::uint32_t line, std::uint32_t column);
  [[nodiscard]] Result<void> close();
  [[nodiscard]] Result<void> scalar(std::string_view text, bool plain, std::uint32_t line,
                                    std::uint32_t column, bool one_line = true);

  [[nodiscard]] Tree finish() { return std::move(tree_); }

 private:
  [[nodiscard]] std::unexpected<Error> too_many_events(const TreeNode& node) const;
  [[nodiscard]] Result<void> add(const TreeNode& node);
  [[nodiscard]] Result<void> check_keys(std::uint32_t mapping) const;
  [[nodiscard]] std::unexpected<Error> fail_at(ErrorCode code, std::string text, std::uint32_t line,
                                               std::uint32_t column) const {
    return fail(code, std::move(text), SourceLocation{tree_.file, line, column});
  }

  struct OpenCollection {
    std::uint32_t number = 0;
    std::uint32_t last_child = 0;
  };

  Tree tree_;
  std::vector<OpenCollection> open_;
  std::uint32_t events_ = 0;
  std::uint32_t events_max_;
  std::uint32_t depth_max_;
};

// `text` for use in a message: cut after 200 bytes, control characters replaced.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace copse
