// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/copse.hpp"

int main(int argc, char** argv) { return copse::copse_tool(argc, argv); }
