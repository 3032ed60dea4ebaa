// SPDX-License-Identifier: Apache-2.0
//
// Any command lines: a session of resource-query on a small machine, with jobspecs a, b, c and d in
// a folder of its own. Afterwards every job is cancelled and the machine is as it was, but for its
// health.
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <unistd.h>

#include "go_on.hpp"
#include "target.hpp"
#include "tools/resource_query/rq_session.hpp"

namespace {

void write_jobspecs() {
  // Jobspecs under short names, so that command lines find them.
  char folder[] = "/tmp/copse-fuzz-XXXXXX";
  copse::fuzz::require(mkdtemp(folder) != nullptr && chdir(folder) == 0);
  auto write = [](const char* name, const char* text) {
    std::FILE* file = std::fopen(name, "w");
    copse::fuzz::require(file != nullptr);
    std::fputs(text, file);
    std::fclose(file);
  };
  write("a", R"({"version": 9999, "resources": [{"type": "slot", "count": 1, "label": "x", "with":
 [{"type": "core", "count": 2}]}], "tasks": [], "attributes": {"system": {"duration": 60}}})");
  write("b", R"({"version": 1, "resources": [{"type": "node", "count": {"min": 1, "max": 4,
 "operator": "+", "operand": 1}, "exclusive": true, "with": [{"type": "slot", "count": 1, "label":
 "x", "with": [{"type": "socket", "count": 1}]}]}], "tasks": [], "attributes": {"system":
 {"duration": 600, "constraints": {"properties": ["^slow"]}}}})");
  write("c", R"({"version": 9999, "resources": [{"type": "slot", "count": 2, "label": "x", "with":
 [{"type": "node", "count": 2}]}], "tasks": [], "attributes": {}})");
  write("d", "version: 1\nresources: [\n");
}

}  // namespace

FUZZ_TARGET_WITH(session, write_jobspecs) {
  using namespace copse;
  if (size < 2 || size > 4096) return 0;
  static std::FILE* const nowhere = std::fopen("/dev/null", "w");
  const auto policies = bundled_policies();
  const Policy& policy = policies[data[0] % policies.size()];
  const auto format = static_cast<Format>(data[1] % 8);
  auto engine = fuzz::engine_on(fuzz::small_machine(), policy.name.c_str());
  const std::uint64_t before = engine->fingerprint();
  QueryStreams streams(nowhere, nowhere);
  QuerySession session(*engine, format, (data[1] & 8) != 0, streams);
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  for (int lines = 0; lines < 64 && !text.empty(); ++lines) {
    const std::size_t end = text.find('\n');
    if (!session.run(text.substr(0, end))) break;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  for (JobId job = 1; job < 500; ++job) {
    if (engine->grant(job) != nullptr) fuzz::require(engine->cancel(job).has_value());
  }
  for (std::uint32_t p = 0; p < engine->graph().pool_count(); ++p) {
    engine->set_status(PoolId{p}, Status::up);
  }
  fuzz::require(engine->fingerprint() == before);
  return 0;
}
