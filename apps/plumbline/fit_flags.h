// The flags that say how to fit.
#pragma once

#include <string>
#include <vector>

#include "command_line/console.h"
#include "command_line/flags.h"
#include "plumbline/fit.h"

namespace plumbline::app {

struct FitFlags {
  std::string method = "ob", basis = "optimal", mode = "aware", rank, l1, tolerance, alpha = "1", starts = "0",
              seed = "0", iterations, remove = "mean", spread = "full", regions;
  std::vector<std::string> expand, noise_b, order;
  bool no_standardize = false;

  void add_to(Flags& command);
  FitOptions options() const;

  // Of those that were given.
  void warn_of_idle_flags(const Flags& command, const FitOptions& options, const Console& console) const;
};

}  // namespace plumbline::app
