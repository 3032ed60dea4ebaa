// SPDX-License-Identifier: Apache-2.0
//
// A library, but no plugin.
extern "C" int answer() { return 42; }
