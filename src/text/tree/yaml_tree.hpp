// SPDX-License-Identifier: Apache-2.0
//
// Texts to trees: one document, or a stream of them. YAML is read by libyaml, JSON by simdjson;
// both build the same tree.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "text/tree/tree.hpp"

namespace copse {

// Reads one YAML document or JSON text. Aliases, anchors, a second document, text that is not
// UTF-8 and keys given twice are refused.
// Errors: invalid or limit, with line and column (in characters). Cost: O(length of the text).
[[nodiscard]] Result<Tree> read_tree(std::string_view text, std::string_view file,
                                     const TreeLimits& limits = {});

class YamlReader;

// The documents of a YAML stream one after the other, each as read_tree() would read it alone; a
// JSON text is a stream of one. Limits hold for each document, but for the length of the text.
//
// After a document that is refused for its content (an alias, a key given twice), the next ones are
// read. A syntax error or a limit ends the stream. An empty stream has one document, null, as for
// read_tree(): every text has a document. REQUIRES that the text and the file's name outlive the
// stream.
class TreeStream {
 public:
  TreeStream(std::string_view text, std::string_view file, const TreeLimits& limits);
  TreeStream(TreeStream&&) noexcept;
  TreeStream& operator=(TreeStream&&) noexcept;
  ~TreeStream();

  // The next document; nullopt after the last one. Cost: O(length of the document).
  [[nodiscard]] std::optional<Result<Tree>> next();
  // Refuses a further document. REQUIRES that next() was called.
  [[nodiscard]] Result<void> expect_end();
  // Whether the text was left because it is no YAML (or no UTF-8, or too long) from there on.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  [[nodiscard]] std::optional<Result<Tree>> first();
  [[nodiscard]] std::unexpected<Error> stop(Error error);

  std::string_view text_;
  std::string_view file_;
  TreeLimits limits_;
  std::unique_ptr<YamlReader> reader_;  // once the first document was asked for
  bool started_ = false, ended_ = false, broken_ = false;
};

}  // namespace copse
