// Dates of ISO 8601 in their extended form.
#pragma once

#include <optional>
#include <string_view>

namespace plumbline {

// A day of the calendar, 2024-05-31, alone or with a time after a T or a blank: 12:30, 12:30:15, 12:30:15.5 (or a
// comma), and perhaps its zone: Z, +02, +0200, +02:00.
bool is_iso_date(std::string_view text);

// How many days the day of such a date is after 1 January 1970; nothing if the text is no date.
std::optional<int> day_of_iso_date(std::string_view text);

}  // namespace plumbline
