// SPDX-License-Identifier: Apache-2.0
//
// Functions that count bits in a loop are compiled twice on x86-64, with and without the popcnt
// instruction. The version is selected when the program starts.
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(COPSE_SANITIZED)
#define COPSE_COUNTS_BITS [[gnu::target_clones("popcnt", "default")]]
#else
#define COPSE_COUNTS_BITS
#endif
