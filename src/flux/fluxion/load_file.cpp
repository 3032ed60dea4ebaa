// SPDX-License-Identifier: Apache-2.0
#include "flux/fluxion/load_file.hpp"

#include "files/read_file.hpp"
#include "flux/machine.hpp"

namespace copse::flux {

Result<std::unique_ptr<Engine>> engine_of_load_file(const ResourceOptions& options,
                                                    std::int64_t now_s) {
  const auto text = read_file(options.load_file);
  if (!text) return std::unexpected(text.error());
  const std::string dominant = options.dominant();
  return engine_of_file(*text,
                        {.file = options.load_file,
                         .format = options.load_format,
                         .allowlist = options.load_allowlist,
                         .dominant = dominant},
                        options.engine(now_s));
}

}  // namespace copse::flux
