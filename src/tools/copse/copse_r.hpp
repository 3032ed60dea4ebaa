// SPDX-License-Identifier: Apache-2.0
//
// copse r: the parts that its commands share. The commands and options are those of `flux R`; files may
// be named where that reads only standard input.
#pragma once

#include <string>
#include <vector>

#include "base/idset.hpp"
#include "files/read_file.hpp"
#include "rset/rset.hpp"
#include "tools/copse/copse.hpp"

namespace copse {

// All sets of some files, each with one or more; of standard input if there are no files.
[[nodiscard]] Result<std::vector<RSet>> read_sets(const std::vector<std::string>& files);
// The union of all, at least one. Common ids count once.
[[nodiscard]] Result<RSet> read_united(const std::vector<std::string>& files);

// The value of an option, with the option's name in the error.
[[nodiscard]] Result<Idset> idset_option(const std::string& option, const std::string& text);
[[nodiscard]] Result<std::vector<std::string>> hosts_option(const std::string& option,
                                                            const std::string& text);
// "NAME", which is for all ranks, or "NAME:RANKS".
[[nodiscard]] Result<void> set_properties(RSet& r, const std::vector<std::string>& properties);

// Writes the set as a line; returns the exit status.
int answer(Result<RSet> r);

void add_r_make(CommandLine& r);  // copse_r_make.cpp: encode, from-hwloc, parse-config
void add_r_show(CommandLine& r);  // copse_r_show.cpp: decode, info, verify, validate

}  // namespace copse
