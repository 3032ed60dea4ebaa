// SPDX-License-Identifier: Apache-2.0
#include "host/output.hpp"
#include "tools/jobspec_validate.hpp"

int main(int argc, char** argv) {
  copse::report_file_size_limit();
  return copse::jobspec_validate(argc, argv);
}
