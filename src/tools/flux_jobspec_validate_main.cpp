// SPDX-License-Identifier: Apache-2.0
#include "tools/jobspec_validate.hpp"
#include "tools/output.hpp"

int main(int argc, char** argv) {
  copse::report_file_size_limit();
  return copse::jobspec_validate(argc, argv);
}
