// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the lines of a session, on a small TreePool machine and on a small GRUG machine,
// both with hierarchical resources. Every line has one answer of one line; one that is refused
// changes nothing. When all is freed and up again, the machine is as it was, but for layers that
// lines have changed: of those nothing is in use.
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/hres/hres.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "formats/rv1/treepool.hpp"
#include "go_on.hpp"
#include "session/session.hpp"

namespace {

using namespace copse;
using fuzz::require;

constexpr std::string_view kTreepool = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["node[0-3]"]},
  "scheduling": {"writer": "TreePool", "children": [{"ranks": "0-3", "topo": {"numa": [
    {"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]}}]}})";

// Of nodes that both machines have.
constexpr std::string_view kResources = R"(
- resource: one
  mode: MODE_1
  layers: [{nodes: "node[0-3]", count: 5}, {nodes: "node[0-1]", count: 8}]
- resource: two
  mode: MODE_2
  layers: [{nodes: "node[0-3]", count: 6}, {nodes: "node[0-1]", count: -1}]
- resource: tree
  mode: MODE_3
  variables: [{name: v, value: 2}]
  layers:
    - {nodes: "node[0-3]", count: 9}
    - {nodes: "node[0-1]", count: 6, base: [{name: x, value: 1}]}
    - {nodes: "node[2-3]", count: 5}
)";

std::unique_ptr<Engine> with_resources(std::unique_ptr<Engine> engine) {
  static const SupplySpec spec = *read_hres(kResources, "resources.yaml");
  require(engine->add_resources(spec).has_value());
  return engine;
}

Session treepool_session() {
  static const auto r = read_r(kTreepool, "R");
  auto key = read_treepool(kTreepool, r->ranks(), "R");
  auto graph = graph_of_r(*r);
  require(key && *key && graph);
  EngineOptions engine_options;
  engine_options.traverser = Traverser::treepool;
  auto engine = Engine::create(std::move(*graph), std::move(engine_options), (*key)->layouts);
  require(engine.has_value());
  SessionOptions options;
  options.key = std::move(*key);
  return Session(with_resources(std::move(*engine)), std::move(options));
}

std::string answer(Session& session, std::string_view line) {
  std::string out;
  session.answer(line, out);
  require(out.size() > 2 && out.find('\n') == out.size() - 1);
  out.pop_back();
  return out;
}

void go(Session& session, std::string_view lines) {
  const std::uint64_t idle = session.engine().fingerprint();
  bool other_layers = false;
  for (int left = 40; left > 0 && !lines.empty(); --left) {
    const std::size_t end = lines.find('\n');
    const std::uint64_t before = session.engine().fingerprint();
    const std::int64_t now = session.engine().now();
    const std::string got = answer(session, lines.substr(0, end));
    if (got.starts_with("{\"error\": ")) {
      require(session.engine().fingerprint() == before && session.engine().now() == now);
    } else if (lines.substr(0, end).find("-layer") != std::string_view::npos ||
               lines.substr(0, end).find('\\') != std::string_view::npos) {
      other_layers = true;  // or words that are spelled otherwise, and may say so
    }
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  for (const JobId job : session.engine().jobs()) {
    // 0 stands as 2^63, see session.hpp.
    const std::string free = R"({"op": "free", "id": )" + std::to_string(job << 1 >> 1) + "}";
    require(answer(session, free) == "{}");
  }
  require(answer(session, R"({"op": "up", "ranks": "all"})") == "{}");
  require(answer(session, R"({"op": "info"})") == "{\"grants\": []}");
  require(other_layers || session.engine().fingerprint() == idle);
  const std::int64_t now = session.engine().now();
  for (const LayerView& layer : session.engine().layers(now)) {
    require(layer.used == 0 && layer.held == layer.reserved);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  const std::string_view lines(reinterpret_cast<const char*>(data), size);
  Session treepool = treepool_session();
  go(treepool, lines);
  EngineOptions options{.policy = *find_policy("low"), .traverser = Traverser::loop_aware};
  options.search_pools_max = 10'000;
  auto engine = Engine::create(fuzz::small_machine(), std::move(options));
  require(engine.has_value());
  Session plain(with_resources(std::move(*engine)), {});
  go(plain, lines);
  return 0;
}
