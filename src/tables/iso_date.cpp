#include "tables/iso_date.h"

#include <chrono>

namespace plumbline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes what it reads off the front of the text.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }

  bool one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> digits(std::size_t count) {
    if (rest_.size() < count) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_digit(rest_[i])) return std::nullopt;
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }

  bool two_digits_up_to(int most) {
    const std::optional<int> value = digits(2);
    return value && *value <= most;
  }

  bool any_digits() {
    if (!digits(1)) return false;
    while (digits(1)) continue;
    return true;
  }

 private:
  std::string_view rest_;
};

std::optional<int> read_day(DateReader& in) {
  const std::optional<int> year = in.digits(4);
  if (!year || !in.one_of("-")) return std::nullopt;
  const std::optional<int> month = in.digits(2);
  if (!month || !in.one_of("-")) return std::nullopt;
  const std::optional<int> day = in.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<int>(std::chrono::sys_days(date).time_since_epoch().count());
}

bool read_zone(DateReader& in) {
  if (in.is_at_end() || in.one_of("Zz")) return true;
  if (!in.one_of("+-") || !in.two_digits_up_to(23)) return false;
  if (in.is_at_end()) return true;
  in.one_of(":");
  return in.two_digits_up_to(59);
}

bool read_time(DateReader& in) {
  if (!in.two_digits_up_to(24) || !in.one_of(":") || !in.two_digits_up_to(59)) return false;
  if (in.one_of(":")) {
    if (!in.two_digits_up_to(60)) return false;  // a leap second
    if (in.one_of(".,") && !in.any_digits()) return false;
  }
  return read_zone(in);
}

}  // namespace

bool is_iso_date(std::string_view text) { return day_of_iso_date(text).has_value(); }

std::optional<int> day_of_iso_date(std::string_view text) {
  DateReader in(text);
  const std::optional<int> day = read_day(in);
  if (!day || in.is_at_end()) return day;
  if (!in.one_of("Tt ") || !read_time(in) || !in.is_at_end()) return std::nullopt;
  return day;
}

}  // namespace plumbline
