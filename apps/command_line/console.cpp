#include "command_line/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/printable.h"
#include "io/signal_message.h"

namespace plumbline::app {
namespace {

constexpr auto kPatience = std::chrono::seconds(1);
constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr std::uint64_t kBarCells = 24;

constexpr const char* kClearLine = "\r\x1b[K";
constexpr const char* kBold = "1";
constexpr const char* kRed = "31";
constexpr const char* kGreen = "32";
constexpr const char* kYellow = "33";

void put(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::string amount(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.1f} GB", bytes / 1e9);
  return fmt::format("{:.0f} MB", bytes / 1e6);
}

}  // namespace

Console::Console(std::string program) : program_(std::move(program) + ':'), terminal_(isatty(STDERR_FILENO) == 1) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  colours_ = terminal_ && !(no_color && *no_color) && !(term && std::string_view(term) == "dumb");
}

std::string Console::coloured(std::string_view text, const char* code) const {
  return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

void Console::say(std::string_view sentence) const {
  if (!quiet_) put(fmt::format("{}\n", printable_line(sentence)));
}

void Console::warn(std::string_view sentence) const {
  if (!quiet_) put(fmt::format("{} {}\n", coloured("note:", kYellow), printable_line(sentence)));
}

void Console::fail(std::string_view sentence) const {
  put(fmt::format("{} {}\n", coloured(program_, kRed), printable_line(sentence)));
}

void Console::prepare_signal_message(std::string_view sentence) const {
  if (quiet_) return;
  set_signal_message(sentence.empty() ? ""
                                      : fmt::format("{}{} {}\n", terminal_ ? kClearLine : "", coloured(program_, kRed),
                                                    printable_line(sentence)));
}

void Console::show(const Certificate& certificate, std::string_view title) const {
  if (quiet_) return;
  const bool meant_to_hold =
      certificate.alpha == 1 && (certificate.deviation || certificate.removed != Remove::distribution);
  const bool holds = certificate.deviation ? certificate.within_chance() : certificate.holds();
  put(fmt::format("{}\n", coloured(printable_line(title), kBold)));
  put(coloured(certificate.in_words(), !meant_to_hold || holds ? kGreen : kRed) + "\n\n");
  put(certificate.to_text());
}

void Console::start(std::string_view step, Unit unit) {
  end_progress();
  step_ = printable_line(step);
  unit_ = unit;
  first_.reset();
}

void Console::progress(std::uint64_t done, std::optional<std::uint64_t> total) {
  if (quiet_ || !terminal_) return;
  const auto now = Clock::now();
  if (!first_) {
    first_ = done;
    started_ = drawn_at_ = now;
  }
  if (now - started_ < kPatience || now - drawn_at_ < kRedraw) return;
  drawn_at_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = (static_cast<double>(done) - static_cast<double>(*first_)) / seconds;
  std::string line = fmt::format("\r{}  ", step_);
  if (total && *total > 0) {
    const std::uint64_t filled = std::min(kBarCells, kBarCells * done / *total);
    const double left = rate > 0 ? static_cast<double>(*total - std::min(done, *total)) / rate : 0;
    line += fmt::format("[{:=<{}}{: <{}}] {:3} %  {}  {}:{:02} left", "", filled, "", kBarCells - filled,
                        100 * std::min(done, *total) / *total,
                        unit_ == Unit::bytes ? amount(rate) + "/s" : fmt::format("{} of {}", done, *total),
                        static_cast<int>(left) / 60, static_cast<int>(left) % 60);
  } else {
    line += fmt::format("{}  {}/s", amount(static_cast<double>(done)), amount(rate));
  }
  put(line + "\x1b[K");
}

void Console::end_progress() {
  if (drawn_) put(kClearLine);
  drawn_ = false;
}

}  // namespace plumbline::app
