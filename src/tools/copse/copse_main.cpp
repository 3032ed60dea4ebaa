// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/copse.hpp"
#include "tools/output.hpp"

int main(int argc, char** argv) {
  copse::report_file_size_limit();
  return copse::copse_tool(argc, argv);
}
