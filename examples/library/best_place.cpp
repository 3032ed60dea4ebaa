// SPDX-License-Identifier: Apache-2.0
//
// A program that uses the library: it reads a machine and a jobspec, starts the job as often as it
// fits now, and says when it fits next.
//
//   best_place examples/machines/desk.graphml examples/jobspecs/desk-gpu-memory.yaml
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <utility>

#include "copse/engine.hpp"
#include "copse/formats.hpp"
#include "copse/policy.hpp"

namespace {

int failed(const copse::Error& error) {
  std::cerr << "best_place: " << error.message() << '\n';
  return 2;
}

std::string text_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: best_place MACHINE JOBSPEC\n";
    return 2;
  }
  auto graph = copse::read_machine(text_of(argv[1]), {.file = argv[1]});
  if (!graph) return failed(graph.error());
  auto engine = copse::Engine::create(std::move(*graph), {.policy = *copse::find_policy("low")});
  if (!engine) return failed(engine.error());

  auto request = (*engine)->prepare(text_of(argv[2]), argv[2]);
  if (!request) return failed(request.error());

  for (copse::JobId job = 1;; ++job) {
    const auto match = (*engine)->match(copse::Operation::allocate_orelse_reserve, **request, job);
    if (!match) return failed(match.error());
    const auto r = copse::write_match((*engine)->graph(), **match);
    if (!r) return failed(r.error());
    std::cout << "job " << job << ", from " << (*match)->start << " s: " << *r;
    if ((*match)->start > (*engine)->now()) return 0;
  }
}
