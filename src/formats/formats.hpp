// SPDX-License-Identifier: Apache-2.0
//
// The forms in which a set of resources is written, by their names in `resource-query -F`.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "copse/graph.hpp"
#include "copse/selection.hpp"
#include "copse/supply.hpp"
#include "text/json_writer.hpp"

namespace copse {

enum class Format : std::uint8_t {
  simple,         // indented lines, children before parents: "      ---node1[1:s]"
  pretty_simple,  // the same reversed, words instead of letters
  jgf,            // JSON Graph Format
  jgf_shorthand,  // without what is below an exclusive pool
  rlite,          // R_lite of RFC 20
  rv1,            // R version 1 of RFC 20, its `scheduling` key in JGF
  rv1_nosched,    // without `scheduling`
  rv1_shorthand,  // with `scheduling` in shorthand JGF
};

[[nodiscard]] std::optional<Format> parse_format(std::string_view name);
[[nodiscard]] const char* word(Format format);

// What is to be written.
struct Emission {
  const ResourceGraph& graph;
  std::span<const Emitted> pools;  // children before parents, as copse::expand gives them
  std::span<const std::pair<PoolId, std::string>> labels{};  // ascending by pool
  std::int64_t start = 0, end = 0;                           // seconds
  std::string_view queue{};
  std::int64_t nslots = 0;  // of an R: its slots; 0: not known, not written
  // Of an R in form rv1: appends the value of `scheduling` for these ranks (ascending), instead of
  // JGF; may be empty.
  std::function<void(std::span<const std::int64_t>, std::string&)> scheduling{};
  bool complete = false;  // shorthand forms leave nothing out (the find command)
  // Writes further members of the metadata of a pool in JGF; may be empty.
  std::function<void(PoolId, JsonWriter&)> more_metadata{};
  // What is drawn along auxiliary subsystems: written in pretty_simple and, by itself, in JGF.
  std::span<const ChannelCharge> drawn{};
};

// Writers keep their scratch memory from one R to the next. One thread each.
class Writer {
 public:
  explicit Writer(Format format) : format_(format) {}
  [[nodiscard]] Format format() const { return format_; }

  // Appends the text of an emission and a newline; nothing, if there is nothing to say: no pools,
  // or for the forms of R no core and no gpu. Cost: O(length of the text), sorting of ids included.
  void write(const Emission& emission, std::string& out);

 private:
  void write_r(const Emission& emission, std::string& out);
  bool collect_ranks(const Emission& emission);
  void append_r_lite(std::string& out) const;
  void append_nodelist(const Emission& emission, std::string& out);
  void append_properties(const Emission& emission, std::string& out) const;
  void append_scheduling(const Emission& emission, std::string& out) const;

  struct RankEntry {
    std::int64_t rank;
    PoolId node;
    std::uint32_t text_first, text_size;  // its children as JSON, in children_
  };
  Format format_;
  std::vector<std::int64_t> cores_, gpus_;
  std::string children_;
  std::vector<RankEntry> ranks_;
};

}  // namespace copse
