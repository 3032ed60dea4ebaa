// SPDX-License-Identifier: Apache-2.0
//
// The names in a certificate: "CN:ada", and of the subject's alternative names "DNS:ci.example.org",
// "email:ada@example.org", "URI:spiffe://example.org/ci".
#pragma once

#include <string>
#include <vector>

struct x509_st;

namespace copse::server {

// CN first, the others as they stand; 64 at most. A name that is empty, is longer than 256 bytes or has
// control characters is left out: what a reader of a table takes for "ada" must be all of it.
[[nodiscard]] std::vector<std::string> certificate_names(const x509_st& certificate);

}  // namespace copse::server
