// SPDX-License-Identifier: Apache-2.0
//
// Assets: the files of the page over HTTP, without a socket.
//
//   /                    index.html, revalidated each time (ETag)
//   /assets/HASH/NAME    all other files, cached by browsers for a year
//
// The paths contain one hash of all files: modules may import each other by relative names
// ("./view.js"), and any changed file changes all paths. Names in index.html, each used once,
// become these paths; app.js becomes page.js, the bundle of all modules. Paths are relative, so the
// page works behind any prefix of a proxy.
//
// The files are public. The data that they show is requested with a token.
//
// Memory: the texts, plain and compressed.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "page/assets.hpp"
#include "server/http/message.hpp"

namespace copse::server {

class Assets {
 public:
  explicit Assets(std::span<const PageAsset> files);

  // Whether the target is a path of the page.
  [[nodiscard]] static bool is_path(std::string_view target);
  // nullopt: not a path of the page.
  [[nodiscard]] std::optional<HttpResponse> answer(const HttpRequest& request) const;
  [[nodiscard]] const std::string& hash() const { return hash_; }

 private:
  struct Asset {
    std::string_view type;
    std::string plain{}, small{};
  };
  [[nodiscard]] HttpResponse send(const Asset& asset, const HttpRequest& request) const;

  std::string hash_;
  std::map<std::string, Asset, std::less<>> files_{};  // except index.html
  std::optional<Asset> index_{};
};

}  // namespace copse::server
