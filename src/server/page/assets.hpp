// SPDX-License-Identifier: Apache-2.0
//
// Assets: the files of the page over HTTP, without a socket.
//
//   /                    index.html, looked at again each time (ETag)
//   /assets/HASH/NAME    everything else, kept by browsers for a year
//
// One hash of all files stands in the paths, so that modules may name each other as their files do
// ("./view.js"), and a changed file changes every path. What index.html names, once each, gets its
// path; page.js, which is all modules as one, stands for app.js. Paths are relative: the page works
// behind any prefix of a proxy.
//
// What is in the page is no secret: anybody may have it. What it shows it asks for, with a token.
//
// Memory: the texts, once as they are and once compressed.
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

  // Whether the target is one of the page's paths.
  [[nodiscard]] static bool is_path(std::string_view target);
  // nullopt: it is not.
  [[nodiscard]] std::optional<HttpResponse> answer(const HttpRequest& request) const;
  [[nodiscard]] const std::string& hash() const { return hash_; }

 private:
  struct Asset {
    std::string_view type;
    std::string plain{}, small{};
  };
  [[nodiscard]] HttpResponse send(const Asset& asset, const HttpRequest& request) const;

  std::string hash_;
  std::map<std::string, Asset, std::less<>> files_{};  // without index.html
  std::optional<Asset> index_{};
};

}  // namespace copse::server
