// SPDX-License-Identifier: Apache-2.0
#include "tools/jobspec_validate.hpp"

int main(int argc, char** argv) { return copse::jobspec_validate(argc, argv); }
