// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_placement.hpp"

#include <algorithm>
#include <limits>

#include "text/json_walk.hpp"
#include "text/json_writer.hpp"

namespace copse::server {

namespace {

class PlacementReader {
 public:
  explicit PlacementReader(std::string_view json)
      : walk_(json, 0, {}, {kTextMax, kTextMax, kDepthMax}) {}

  Result<JobPlacement> read() {
    const bool ok = walk_.document([&](std::string_view key, Value& value, const Token& token) {
      if (key == "nodes") return pairs(value, token, &PlacementReader::nodes);
      if (key == "layers") return pairs(value, token, &PlacementReader::draw);
      return walk_.skip(value, token);
    });
    if (!ok) return std::unexpected(walk_.error());
    return std::move(out_);
  }

 private:
  using Value = JsonWalk::Value;
  using Token = JsonWalk::Token;
  // Reads element `place` of a pair.
  using Element = bool (PlacementReader::*)(std::size_t place, Value& value, const Token& token);
  static constexpr std::size_t kTextMax = std::size_t{64} << 20;
  static constexpr std::uint32_t kDepthMax = 20;

  // Reads a list of pairs.
  bool pairs(Value& value, const Token& token, Element element) {
    return walk_.elements(value, token, "where a job ran", [&](Value& each, const Token& at) {
      std::size_t place = 0;
      const auto part = [&](Value& of, const Token& part_at) {
        if (place == 2) return walk_.refuse(part_at.offset, "a pair has two elements");
        if (!(this->*element)(place, of, part_at)) return false;
        ++place;
        return true;
      };
      if (!walk_.elements(each, at, "a pair", part)) return false;
      return place == 2 || walk_.refuse(at.offset, "a pair has two elements");
    });
  }

  bool nodes(std::size_t place, Value& value, const Token& token) {
    if (place == 0) {
      std::string_view names;
      if (!walk_.word(value, token, "a list of hosts", names)) return false;
      out_.nodes.emplace_back(names, std::uint16_t{0});
      return true;
    }
    std::int64_t share = 0;
    if (!walk_.integer(token, "a share", 0, NodeRange::kWhole, share)) return false;
    out_.nodes.back().second = static_cast<std::uint16_t>(share);
    return true;
  }

  bool draw(std::size_t place, Value&, const Token& token) {
    std::int64_t number = 0;
    const bool layer = place == 0;
    if (!walk_.integer(token, layer ? "a layer" : "an amount",
                       layer ? 0 : std::numeric_limits<std::int64_t>::min(),
                       layer ? std::numeric_limits<std::uint32_t>::max()
                             : std::numeric_limits<std::int64_t>::max(),
                       number)) {
      return false;
    }
    if (layer) {
      out_.draws.push_back({static_cast<std::uint32_t>(number), 0});
    } else {
      out_.draws.back().amount = number;
    }
    return true;
  }

  JsonWalk walk_;
  JobPlacement out_{};
};

}  // namespace

Result<JobPlacement> read_placement(std::string_view json) { return PlacementReader(json).read(); }

std::string PlacementWriter::text(const Engine& engine, const Grant& grant) {
  const ResourceGraph& graph = engine.graph();
  if (lanes_ == nullptr || graph_ != &graph || pools_ != graph.pool_count() ||
      removed_ != graph.removed_count()) {
    lanes_ = std::make_unique<NodeRows>(graph);
    graph_ = &graph;
    pools_ = graph.pool_count();
    removed_ = graph.removed_count();
  }
  (void)lanes_->taken(grant.selection, runs_);
  return object_text([&](JsonWriter& json) {
    json.key("nodes");
    json.open('[');
    for (auto run = runs_.begin(); run != runs_.end();) {
      const auto end = std::find_if(run, runs_.end(),
                                    [&](const auto& other) { return other.share != run->share; });
      std::string names;
      lanes_->append_names(names, {run, end});
      json.open('[');
      json.value(names);
      json.value(std::uint32_t{run->share});
      json.close(']');
      run = end;
    }
    json.close(']');
    if (grant.charges.layers.empty()) return;
    json.array("layers", grant.charges.layers, [&](const LayerCharge& charge) {
      json.open('[');
      json.value(charge.layer);
      json.value(charge.amount);
      json.close(']');
    });
  });
}

}  // namespace copse::server
