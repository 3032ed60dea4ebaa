// SPDX-License-Identifier: Apache-2.0
#include "tools/resource_query/resource_query.hpp"

int main(int argc, char** argv) { return copse::resource_query(argc, argv); }
