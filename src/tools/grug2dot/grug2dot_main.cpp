// SPDX-License-Identifier: Apache-2.0
#include "tools/grug2dot/grug2dot.hpp"
#include "tools/output.hpp"

int main(int argc, char** argv) {
  copse::report_file_size_limit();
  return copse::grug2dot(argc, argv);
}
