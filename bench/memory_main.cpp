// SPDX-License-Identifier: Apache-2.0
//
// Rows of memory: what a process grows by when it loads a machine, idle. Each machine is loaded by
// a process of its own, forked before anything was loaded. One line of JSON a machine:
//   text_bytes     of the recipe
//   load_ms        text to graph
//   engine_ms      graph to engine
//   grown_kb       resident memory with the engine made, less that before (VmRSS)
//   peak_kb        the most resident memory of the process (VmHWM), less that before
//   counted_bytes  what the engine says it has (Engine::bytes)
// Then the first machine as JGF, from a file as resource-query reads it; the text counts in its
// peak_kb, and peak_of_text is peak_kb as a multiple of text_bytes.
#include <fmt/format.h>

#include <cstdio>

#include "copse/engine.hpp"
#include "formats/grug/grug.hpp"
#include "formats/jgf/graph_jgf.hpp"
#include "formats/jgf/jgf.hpp"
#include "process.hpp"
#include "rig.hpp"

namespace copse::bench {
namespace {

double ms(BusyClock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void measure(const char* name, const Part& machine) {
  const std::string text = grug_text(machine);
  const Policy low = require(find_policy("low"));
  const std::int64_t before_kb = status_kb("VmRSS");
  const auto begin = BusyClock::now();
  ResourceGraph graph = require(read_grug(text, "machine"));
  const auto loaded = BusyClock::now();
  const auto engine = require(Engine::create(std::move(graph), {.policy = low}));
  const auto made = BusyClock::now();
  const std::int64_t grown_kb = status_kb("VmRSS") - before_kb;
  const auto pools = static_cast<double>(engine->graph().pool_count());
  fmt::print(
      "{{\"machine\": \"{}\", \"pools\": {}, \"text_bytes\": {}, \"load_ms\": {:.1f}, "
      "\"engine_ms\": {:.1f}, \"grown_kb\": {}, \"peak_kb\": {}, \"grown_bytes_a_pool\": {:.1f}, "
      "\"counted_bytes_a_pool\": {:.1f}}}\n",
      name, engine->graph().pool_count(), text.size(), ms(loaded - begin), ms(made - loaded),
      grown_kb, status_kb("VmHWM") - before_kb, static_cast<double>(grown_kb) * 1024 / pools,
      static_cast<double>(engine->bytes()) / pools);
  std::fflush(stdout);
}

void write_jgf_to(std::FILE* file, const Part& machine) {
  const ResourceGraph graph = require(read_grug(grug_text(machine), "machine"));
  require(write_jgf(graph, [&](std::string_view piece) {
    return std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
  }));
  std::fflush(file);
}

void measure_jgf(const char* name, std::FILE* file) {
  const std::int64_t before_kb = status_kb("VmRSS");
  std::fseek(file, 0, SEEK_END);
  const auto size = static_cast<std::size_t>(std::ftell(file));
  std::rewind(file);
  const auto begin = BusyClock::now();
  std::int64_t pools = 0;
  {
    std::string text(size + kJsonPadding, '\0');
    if (std::fread(text.data(), 1, size, file) != size) give_up("cannot read the JGF");
    text.resize(size);
    const ResourceGraph graph = require(read_jgf(text, {.readable_past = kJsonPadding}));
    pools = graph.pool_count();
  }
  const double load_ms = ms(BusyClock::now() - begin);
  const std::int64_t peak_kb = status_kb("VmHWM") - before_kb;
  fmt::print(
      "{{\"machine\": \"{} as JGF\", \"pools\": {}, \"text_bytes\": {}, \"load_ms\": {:.1f}, "
      "\"peak_kb\": {}, \"peak_of_text\": {:.2f}}}\n",
      name, pools, size, load_ms, peak_kb,
      static_cast<double>(peak_kb) * 1024 / static_cast<double>(size));
  std::fflush(stdout);
}

int run() {
  const std::pair<const char*, Part> machines[] = {{"two_sockets", two_sockets(10'000)},
                                                   {"sierra_like", sierra_like()},
                                                   {"flat32", flat(10'000)},
                                                   {"flat128", flat(100'000, 128)}};
  for (const auto& [name, machine] : machines) {
    if (!apart([&] { measure(name, machine); })) return 1;
  }
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) give_up("cannot make a temporary file");
  const auto& [name, machine] = machines[0];
  if (!apart([&] { write_jgf_to(file, machine); })) return 1;
  if (!apart([&] { measure_jgf(name, file); })) return 1;
  std::fclose(file);
  return 0;
}

}  // namespace
}  // namespace copse::bench

int main() { return copse::bench::run(); }
