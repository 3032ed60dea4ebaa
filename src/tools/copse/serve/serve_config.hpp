// SPDX-License-Identifier: Apache-2.0
//
// The configuration of `copse serve`: a TOML file with its options under their long names.
//
//   load-file = "/etc/copse/machine.graphml"
//   listen = ["127.0.0.1:7400"]
//   clients = 500
//
// An option on the command line overrides the option of that name in the file. Each option means
// the same in both places, and is checked once.
//
// One table has no option on the command line. It maps certificates to users and roles:
//
//   [tls-clients]
//   "CN:ada" = { user = "ada", role = "operator" }
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "copse/error.hpp"
#include "server/rights/certificate_table.hpp"
#include "tools/copse/command_line/command_line.hpp"

namespace copse {

// Returns the words of the command line, followed by the options of the file. `options`: those of the
// command. Errors: invalid, with line and column (not TOML; an unknown key; a value of another type; a
// table of certificates without tls-client-ca).
[[nodiscard]] Result<std::vector<std::string>> add_config(std::vector<std::string> words,
                                                          std::string_view text,
                                                          std::string_view file,
                                                          std::span<const OptionRow> options);
// The words as they are, or with the file that "--config" of `copse serve` names. Errors: those of
// add_config and read_file.
[[nodiscard]] Result<std::vector<std::string>> words_with_config(std::vector<std::string> words,
                                                                 const OptionTable& table);

// The table [tls-clients] of the file; empty if the file has none. Errors: invalid, with line and column;
// those of CertificateTable::add.
[[nodiscard]] Result<server::CertificateTable> read_certificate_table(std::string_view text,
                                                                      std::string_view file);

}  // namespace copse
