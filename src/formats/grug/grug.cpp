// SPDX-License-Identifier: Apache-2.0
#include "formats/grug/grug.hpp"

namespace copse {

Result<ResourceGraph> read_grug(std::string_view text, std::string_view file,
                                std::string_view dominant) {
  GraphBuilder builder;
  {
    const auto recipe = grug::parse_recipe(text, file);
    if (!recipe) return std::unexpected(recipe.error());
    if (auto ok = grug::generate(*recipe, builder); !ok) return std::unexpected(ok.error());
  }
  auto graph = builder.build(dominant);
  if (!graph && graph.error().place.file.empty()) graph.error().place.file = file;
  return graph;
}

}  // namespace copse
