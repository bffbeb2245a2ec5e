// What a person sees, all on standard error: sentences, a certificate, a progress bar.
//
// Colours only on a terminal, and not if NO_COLOR is set to anything. A progress bar only on a terminal, once work has
// taken a second. --quiet leaves errors.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plumbline/certificate.h"

namespace plumbline::app {

enum class Unit { bytes, parts };

class Console {
 public:
  explicit Console(std::string program);  // whose name stands before what is wrong

  void be_quiet() { quiet_ = true; }

  void say(std::string_view sentence) const;  // a line
  void warn(std::string_view sentence) const;
  void fail(std::string_view sentence) const;                    // also if quiet
  void prepare_signal_message(std::string_view sentence) const;  // said if a signal ends the program; none: nothing is
  void show(const Certificate& certificate, std::string_view title) const;

  // A step of the work, which the bar names, and what it is counted in; how much is done, of a total that may be
  // unknown. Speed is counted from the first call of progress on: what was done by then may have cost nothing.
  void start(std::string_view step, Unit unit = Unit::bytes);
  void progress(std::uint64_t done, std::optional<std::uint64_t> total);
  void end_progress();

 private:
  using Clock = std::chrono::steady_clock;

  std::string coloured(std::string_view text, const char* code) const;

  std::string program_, step_;
  bool quiet_ = false, terminal_ = false, colours_ = false, drawn_ = false;
  Unit unit_ = Unit::bytes;
  std::optional<std::uint64_t> first_;  // what was done at the first call
  Clock::time_point started_, drawn_at_;
};

}  // namespace plumbline::app
