// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as the lines of a session, on a small TreePool machine and on a small GRUG machine.
// Every line has one answer of one line; one that is refused changes nothing. When all is freed and
// up again, the machine is as it was.
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/treepool.hpp"
#include "go_on.hpp"
#include "session/session.hpp"

namespace {

using namespace copse;
using fuzz::require;

constexpr std::string_view kTreepool = R"({"version": 1, "execution": {
  "R_lite": [{"rank": "0-3", "children": {"core": "0-7", "gpu": "0-1"}}],
  "starttime": 0, "expiration": 0, "nodelist": ["n[0-3]"]},
  "scheduling": {"writer": "TreePool", "children": [{"ranks": "0-3", "topo": {"numa": [
    {"cores": "0-3", "gpus": "0"}, {"cores": "4-7", "gpus": "1"}]}}]}})";

std::string answer(Session& session, std::string_view line) {
  std::string out;
  session.answer(line, out);
  require(out.size() > 2 && out.find('\n') == out.size() - 1);
  out.pop_back();
  return out;
}

void go(Session& session, std::string_view lines) {
  const std::uint64_t idle = session.engine().fingerprint();
  for (int left = 40; left > 0 && !lines.empty(); --left) {
    const std::size_t end = lines.find('\n');
    const std::uint64_t before = session.engine().fingerprint();
    const std::int64_t now = session.engine().now();
    const std::string got = answer(session, lines.substr(0, end));
    if (got.starts_with("{\"error\": ")) {
      require(session.engine().fingerprint() == before && session.engine().now() == now);
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
  require(session.engine().fingerprint() == idle);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  const std::string_view lines(reinterpret_cast<const char*>(data), size);
  auto treepool = session_of_r(kTreepool);
  require(treepool.has_value());
  go(*treepool, lines);
  EngineOptions options{.policy = *find_policy("low"), .traverser = Traverser::loop_aware};
  options.search_pools_max = 10'000;
  auto engine = Engine::create(fuzz::small_machine(), std::move(options));
  require(engine.has_value());
  Session plain(std::move(*engine), {});
  go(plain, lines);
  return 0;
}
