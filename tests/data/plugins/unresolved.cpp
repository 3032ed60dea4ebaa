// SPDX-License-Identifier: Apache-2.0
//
// It calls what no program has.
extern "C" int nobody_has_this();
extern "C" int answer() { return nobody_has_this(); }
