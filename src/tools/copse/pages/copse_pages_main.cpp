// SPDX-License-Identifier: Apache-2.0
#include "tools/copse/pages/copse_pages.hpp"

int main(int argc, char** argv) { return copse::pages::copse_pages(argc, argv); }
