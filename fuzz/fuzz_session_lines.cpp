// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the lines of a session, on a tiny TreePool machine and on a tiny GRUG machine, both
// with hierarchical resources. Every line has one answer of one line; one that is refused changes
// nothing. When all is freed and up again, the machine is as it was, but for layers that lines have
// changed: of those nothing is in use.
//
// A session stays from input to input as long as inputs leave it as it was when it was made. Else a
// new one begins with a clone of the engine: to make one takes longer than to answer a few lines.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/hres/hres.hpp"
#include "formats/rv1/rv1_read.hpp"
#include "go_on.hpp"
#include "session/session.hpp"
#include "target.hpp"

namespace {

using namespace copse;
using fuzz::require;

constexpr std::string_view kTreepool = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-3", "gpu": "0-1"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["node[0-3]"]},
  "scheduling": {"writer": "TreePool", "children": [{"ranks": "0-3", "topo": {"numa": [
    {"cores": "0-1", "gpus": "0"}, {"cores": "2-3", "gpus": "1"}]}}]}})";

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

constexpr std::size_t kBytesMax = 2048;  // longer inputs say nothing new
constexpr int kLinesMax = 16;
constexpr std::uint64_t kSearchMax = 500;  // looks at pools; the machine has 20

std::unique_ptr<Engine> with_resources(std::unique_ptr<Engine> engine) {
  static const HresSpec spec = *read_hres(kResources, "resources.yaml");
  require(engine->add_resources(spec).has_value());
  return engine;
}

const RSet& machine() {
  static const auto r = read_r(kTreepool, "R", {.layouts = TreepoolLimits{}});
  require(r && r->scheduling.treepool);
  return *r;
}

std::unique_ptr<Engine> treepool_engine() {
  auto graph = graph_of_r(machine());
  require(graph.has_value());
  EngineOptions engine_options;
  engine_options.traverser = Traverser::treepool;
  auto engine = Engine::create(std::move(*graph), std::move(engine_options), machine().layouts);
  require(engine.has_value());
  return with_resources(std::move(*engine));
}

SessionOptions treepool_options() {
  SessionOptions options;
  options.scheduling = machine().scheduling;
  return options;
}

// cluster → 2 racks → 2 nodes → (2 cores, 1 gpu)
std::unique_ptr<Engine> plain_engine() {
  constexpr const char* kRecipe = R"(<graphml>
  <key id="t" for="node" attr.name="type" attr.type="string"/>
  <key id="r" for="node" attr.name="root" attr.type="int"><default>0</default></key>
  <key id="n" for="edge" attr.name="multi_scale" attr.type="int"/>
  <key id="i" for="edge" attr.name="id_scope" attr.type="int"><default>1</default></key>
  <graph edgedefault="directed">
    <node id="c"><data key="r">1</data><data key="t">cluster</data></node>
    <node id="k"><data key="t">rack</data></node><node id="n"><data key="t">node</data></node>
    <node id="o"><data key="t">core</data></node><node id="g"><data key="t">gpu</data></node>
    <edge source="c" target="k"><data key="n">2</data></edge>
    <edge source="k" target="n"><data key="n">2</data></edge>
    <edge source="n" target="o"><data key="n">2</data></edge>
    <edge source="n" target="g"><data key="n">1</data></edge>
  </graph></graphml>)";
  auto graph = read_grug(kRecipe, "tiny");
  require(graph.has_value());
  EngineOptions options{.policy = *find_policy("low"), .traverser = Traverser::loop_aware};
  options.search_pools_max = kSearchMax;
  auto engine = Engine::create(std::move(*graph), std::move(options));
  require(engine.has_value());
  return with_resources(std::move(*engine));
}

// One kind of session, as it was made.
class Kept {
 public:
  Kept(std::unique_ptr<Engine> engine, SessionOptions options)
      : engine_(std::move(engine)), options_(std::move(options)), idle_(engine_->fingerprint()) {}
  void go(std::string_view lines);

 private:
  [[nodiscard]] std::string answer(std::string_view line);
  void give_back();

  const std::unique_ptr<Engine> engine_;
  const SessionOptions options_;
  const std::uint64_t idle_;  // the engine's fingerprint
  std::optional<Session> session_{};
  bool goes_on_ = true;  // it was not told to quit
};

std::string Kept::answer(std::string_view line) {
  std::string out;
  goes_on_ = session_->answer(line, out) && goes_on_;
  require(out.size() > 2 && out.find('\n') == out.size() - 1);
  out.pop_back();
  return out;
}

void Kept::give_back() {
  for (const JobId job : session_->engine().jobs()) {
    // 0 stands as 2^63, see session.hpp.
    const std::string free = R"({"op": "free", "id": )" + std::to_string(job << 1 >> 1) + "}";
    require(answer(free) == "{}");
  }
  require(answer(R"({"op": "up", "ranks": "all"})") == "{}");
  require(answer(R"({"op": "info"})") == "{\"grants\": []}");
}

void Kept::go(std::string_view lines) {
  if (!session_) {
    session_.emplace(engine_->clone(), options_);
    goes_on_ = true;
  }
  const Engine& engine = session_->engine();
  bool other_layers = false;
  for (int left = kLinesMax; left > 0 && !lines.empty(); --left) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    const std::uint64_t before = engine.fingerprint();
    const std::int64_t now = engine.now();
    if (answer(line).starts_with("{\"error\": ")) {
      require(engine.fingerprint() == before && engine.now() == now);
    } else if (line.find("-layer") != std::string_view::npos ||
               line.find('\\') != std::string_view::npos) {
      other_layers = true;  // or words that are spelled otherwise, and may say so
    }
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  give_back();
  require(other_layers || engine.fingerprint() == idle_);
  for (const LayerView& layer : engine.layers(engine.now())) {
    require(layer.used == 0 && layer.held == layer.reserved);
  }
  if (other_layers || engine.now() != 0 || !goes_on_) session_.reset();
}

}  // namespace

FUZZ_TARGET(session_lines) {
  if (size > kBytesMax) return -1;
  static Kept treepool(treepool_engine(), treepool_options()), plain(plain_engine(), {});
  const std::string_view lines(reinterpret_cast<const char*>(data), size);
  treepool.go(lines);
  plain.go(lines);
  return 0;
}
