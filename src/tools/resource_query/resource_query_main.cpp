// SPDX-License-Identifier: Apache-2.0
#include "host/output.hpp"
#include "tools/resource_query/resource_query.hpp"

int main(int argc, char** argv) {
  copse::report_file_size_limit();
  return copse::resource_query(argc, argv);
}
