// SPDX-License-Identifier: Apache-2.0
//
// Streams of jobspecs: the documents of one text, each checked as parse_jobspec() checks one alone,
// and written down again.
//
// Invariants: there is one grammar, that of TreeStream and read_jobspec(); a text of one document
// is accepted here exactly if parse_jobspec() accepts it. What to_yaml() writes is read back to a
// tree with the same keys and texts in the same order, null where null was, and quoted where it was
// (and where it must be); so a jobspec stays accepted, and written again it is the same text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "copse/request.hpp"
#include "request/jobspec/jobspec_words.hpp"
#include "text/tree/yaml_tree.hpp"

namespace copse {

// The request that a tree is. Errors: those of parse_jobspec(). O(nodes).
[[nodiscard]] Result<Request> read_jobspec(const Tree& tree, const JobspecLimits& limits);
// The same for a part of a tree.
[[nodiscard]] Result<Request> read_jobspec(TreeView top, const JobspecLimits& limits);

class JobspecStream {
 public:
  // REQUIRES that the text and the file's name outlive the stream.
  explicit JobspecStream(std::string_view text, std::string_view file = {},
                         const JobspecLimits& limits = {},
                         JobspecWords words = JobspecWords::fluxion)
      : trees_(text, file, tree_limits(limits)), limits_(limits), words_(words) {}

  // The next document; nullopt after the last one. A refused one does not end the stream, except as
  // TreeStream describes. O(length of the document).
  [[nodiscard]] std::optional<Result<Request>> next();
  // As TreeStream::broken().
  [[nodiscard]] bool broken() const { return trees_.broken(); }
  // The document that next() gave last, whole. REQUIRES that it was accepted.
  [[nodiscard]] const Tree& tree() const { return tree_; }

 private:
  TreeStream trees_;
  JobspecLimits limits_;
  JobspecWords words_;
  Tree tree_;
};

// A tree as a YAML document in block style, with "---" before it, so that documents may be joined.
// Comments, tags and the style of quotes are not kept. Errors: limit (out of memory). O(nodes).
[[nodiscard]] Result<std::string> to_yaml(const Tree& tree);

}  // namespace copse
