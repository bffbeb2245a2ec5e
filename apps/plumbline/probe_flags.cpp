#include "probe_flags.h"

#include "base/choices.h"
#include "debias/boosted_trees.h"

namespace plumbline::app {

void ProbeFlags::add_to(Flags& command) {
  command.value("--probe", effort, "quick|full|none",
                "What models can still read back of the sensitive columns: a linear and a flexible one on up to 5,000 "
                "rows, boosted trees too and on up to 50,000, or not");
}

Index ProbeFlags::rows() const {
  return choice_of<Index>("--probe", effort, {{"quick", kQuickProbeRows}, {"full", kFullProbeRows}, {"none", 0}});
}

TableProbeOptions ProbeFlags::options(int threads, Console& console) const {
  TableProbeOptions out{.threads = threads};
  if (effort != "full") return out;
  if (std::optional<Attacker> trees = boosted_trees(threads))
    out.further.push_back(std::move(*trees));
  else
    console.warn("boosted trees are not among the attackers: the XGBoost library is not here");
  out.progress = [&console](std::uint64_t done, std::uint64_t all) {
    if (done == 1) console.start("probing", Unit::parts);
    console.progress(done, all);
  };
  return out;
}

}  // namespace plumbline::app
