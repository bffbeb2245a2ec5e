// The flag that says how hard to look for what models can still read back, for fit and for transform --check.
#pragma once

#include <string>

#include "command_line/console.h"
#include "command_line/flags.h"
#include "tables/table_probe.h"

namespace plumbline::app {

struct ProbeFlags {
  std::string effort = "quick";

  void add_to(Flags& command);
  Index rows() const;  // of the sample; 0: no probe

  // With progress on the console, and boosted trees if all attackers are asked for and they are to be had.
  TableProbeOptions options(int threads, Console& console) const;
};

}  // namespace plumbline::app
