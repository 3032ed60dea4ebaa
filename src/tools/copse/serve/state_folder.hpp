// SPDX-License-Identifier: Apache-2.0
//
// Where the state and the socket of `copse serve` are by default: the folders of the XDG Base Directory
// Specification.
#pragma once

#include <string>
#include <vector>

#include "copse/error.hpp"

namespace copse {

// $XDG_STATE_HOME/copse, or $HOME/.local/state/copse. Errors: not_found (neither is set).
[[nodiscard]] Result<std::string> default_state_folder();
// $XDG_RUNTIME_DIR/copse/copse.sock; without it, copse.sock in the folder of the state.
[[nodiscard]] std::string default_socket(const std::string& state_folder);
// Makes the folder, and those above it, for its owner only. Errors: io.
[[nodiscard]] Result<void> make_private_folder(const std::string& path);

// An error of the state in this folder. If the state is damaged, it says what to do about it.
[[nodiscard]] Error with_remedy(Error error, const std::string& state);

// A first start: unless it is done, the folders and the state that it created are removed.
class FirstStart {
 public:
  // `state`: its folder. If it has a state already, nothing is removed.
  explicit FirstStart(std::string state);
  FirstStart(const FirstStart&) = delete;
  FirstStart& operator=(const FirstStart&) = delete;
  ~FirstStart();
  // As make_private_folder().
  [[nodiscard]] Result<void> make_folder(const std::string& path);
  void done() { done_ = true; }
  // Whether there was no state before.
  [[nodiscard]] bool is_new() const { return !old_; }

 private:
  std::string state_;
  bool old_;
  bool done_ = false;
  std::vector<std::string> made_;
};

// The folder and the known files in it belong to this user or to root, no other user can write them, and
// no file is a link. What does not exist is not checked. Errors: invalid; io.
[[nodiscard]] Result<void> check_state_files(const std::string& folder);

}  // namespace copse
