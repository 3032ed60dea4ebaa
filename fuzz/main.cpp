// SPDX-License-Identifier: Apache-2.0
//
// The fuzz program: libFuzzer's functions for the target that FUZZ names.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "target.hpp"

namespace copse::fuzz {
namespace {

const Target*& first() {
  static const Target* target = nullptr;
  return target;
}

const Target* chosen = nullptr;

void print_names() {
  std::vector<std::string_view> names;
  for (const Target* at = first(); at != nullptr; at = at->next) names.emplace_back(at->name);
  std::ranges::sort(names);
  for (const std::string_view name : names) std::puts(name.data());
}

}  // namespace

const Target* add_target(const Target& target) {
  const Target* const before = first();
  first() = &target;
  return before;
}

}  // namespace copse::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  using namespace copse::fuzz;
  const char* const wanted = std::getenv("FUZZ");
  if (wanted != nullptr && std::strcmp(wanted, "list") == 0) {
    print_names();
    std::exit(0);
  }
  for (const Target* at = first(); wanted != nullptr && at != nullptr; at = at->next) {
    if (std::strcmp(at->name, wanted) == 0) chosen = at;
  }
  if (chosen == nullptr) {
    std::fputs("fuzz: FUZZ must name a target; FUZZ=list prints their names\n", stderr);
    std::exit(2);
  }
  if (chosen->prepare != nullptr) chosen->prepare();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return copse::fuzz::chosen->run(data, size);
}
