// SPDX-License-Identifier: Apache-2.0
//
// copse flux: a front of Flux's own command, which is played here by a script.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tools/program.hpp"

namespace copse {
namespace {

class FluxFront : public ::testing::Test {
 protected:
  FluxFront() {
    std::filesystem::create_directory(scratch_.path() / "bin");
    if (const char* path = std::getenv("PATH")) path_ = path;
  }
  ~FluxFront() override { setenv("PATH", path_.c_str(), 1); }

  void flux_is(std::string_view script) {
    scratch_.write("bin/flux", script);
    std::filesystem::permissions(scratch_.path() / "bin/flux", std::filesystem::perms::owner_all);
    setenv("PATH", ((scratch_.path() / "bin").string() + ":/usr/bin:/bin").c_str(), 1);
  }
  [[nodiscard]] Outcome copse_flux(std::vector<std::string> words) const {
    words.insert(words.begin(), {program("copse"), "flux"});
    return run({.words = std::move(words), .input = {}, .folder = scratch_.path()});
  }

  Scratch scratch_;

 private:
  std::string path_;
};

TEST_F(FluxFront, AsksFluxsOwnCommand) {
  flux_is("#!/bin/sh\necho \"$@\"\n");
  EXPECT_EQ(copse_flux({"why", "f2X"}).output, "copse why ƒ2X --service=sched-copse\n");
  EXPECT_EQ(copse_flux({"when", "--json", "--service", "a", "95"}).output,
            "copse when ƒ2e --json --service=a\n");
  EXPECT_EQ(copse_flux({"layers"}).output, "copse layers --service=sched-copse\n");
  EXPECT_EQ(copse_flux({"set-layer", "flat", "n[0-3]", "-1"}).output,
            "copse set-layer flat n[0-3] -1 --service=sched-copse\n");
}

TEST_F(FluxFront, FailsWhereFluxFails) {
  flux_is("#!/bin/sh\necho 'flux copse: no such job' >&2\nexit 1\n");
  const Outcome outcome = copse_flux({"why", "f2X"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.errors, "flux copse: no such job\n");
}

TEST_F(FluxFront, SaysThatThereIsNoFlux) {
  setenv("PATH", (scratch_.path() / "bin").c_str(), 1);
  const Outcome outcome = copse_flux({"layers"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.errors,
            "copse: can't run flux: No such file or directory (is Flux installed, and in PATH?)\n");
  EXPECT_EQ(copse_flux({"why", "poem"}).errors,
            "copse: \"poem\" is not a job id, such as ƒ8DQnJuV or 1234\n");
}

}  // namespace
}  // namespace copse
