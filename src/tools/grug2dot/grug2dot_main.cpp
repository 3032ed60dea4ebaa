// SPDX-License-Identifier: Apache-2.0
#include "host/output.hpp"
#include "tools/grug2dot/grug2dot.hpp"

int main(int argc, char** argv) {
  copse::report_file_size_limit();
  return copse::grug2dot(argc, argv);
}
