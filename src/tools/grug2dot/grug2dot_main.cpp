// SPDX-License-Identifier: Apache-2.0
#include "tools/grug2dot/grug2dot.hpp"

int main(int argc, char** argv) { return copse::grug2dot(argc, argv); }
