// What a signal that ends the process says on standard error before it does (temporary_file.h): what is kept, and how
// to go on.
#pragma once

#include <string_view>

namespace plumbline {

// Up to 1,024 bytes, the rest is left out; none: nothing is said. One thread at a time.
void set_signal_message(std::string_view text);

void write_signal_message() noexcept;  // for a signal handler; nothing in a forked child, for they are its parent's

}  // namespace plumbline
