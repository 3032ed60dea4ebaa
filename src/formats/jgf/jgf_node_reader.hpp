// SPDX-License-Identifier: Apache-2.0
//
// JgfNodeReader: one node of a JGF document after the other, with the defaults of jgf_text.hpp.
// It keeps its memory from one node to the next.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/jgf/jgf_text.hpp"
#include "text/json_walk.hpp"

namespace copse {

class JgfNodeReader {
 public:
  // Both outlive this.
  JgfNodeReader(JsonWalk& walk, const JgfLimits& limits) : walk_(walk), limits_(limits) {}

  // Reads an element of "nodes". False: refused, the walk's error() says why.
  [[nodiscard]] bool read(JsonWalk::Value& value, const JsonWalk::Token& token);
  // What was read last; good until the next read().
  [[nodiscard]] const JgfNodeText& node() const { return node_; }

 private:
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;

  bool member(JsonOnce& once, std::string_view key, Value& v, const Token& t);
  bool paths(Value& value, const Token& token);
  // Pairs of words: properties, tags.
  using Words = std::vector<std::pair<std::string_view, std::string_view>>;
  struct WordsOf {
    std::string_view key, member, one;  // as messages call them
  };
  bool words(Value& value, const Token& token, const WordsOf& of, Words& out);
  bool few(std::size_t members, const Token& token);
  bool short_enough(std::string_view key, const Token& token);
  bool complete(const JsonOnce& members);
  bool default_id();
  std::string_view derived_name();

  JsonWalk& walk_;
  const JgfLimits& limits_;
  JgfNodeText node_;
  std::vector<std::pair<std::string_view, JgfWord>> paths_;
  Words properties_, tags_;
  std::size_t last_word_ = 0;
  std::string name_;
};

}  // namespace copse
