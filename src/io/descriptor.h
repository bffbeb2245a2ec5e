// Open files as values, and the system calls on them with what callers forget: a call that a signal interrupts is made
// again, one that would block waits, a short read or write goes on.
//
// The calls report failure through errno, for only the caller knows what it was about; `fail_on` makes the sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace plumbline {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}  // owns it; negative: none
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }

  static Descriptor copy_of(int number);  // of standard input or output, which stay open; none, with errno, if closed

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int close();  // 0 or what errno says; a disk may refuse only now what was written before

 private:
  int number_ = -1;
};

// Reads until `size` bytes are there or the end is; −1 with errno.
std::ptrdiff_t read_fully(const Descriptor& file, char* out, std::size_t size);
// The same from a position of a regular file.
std::ptrdiff_t read_fully_at(const Descriptor& file, char* out, std::size_t size, std::size_t position);
// Writes all of it, or returns false with errno.
bool write_fully(const Descriptor& file, std::string_view bytes);

inline constexpr const char* kStandardInput = "standard input";
inline constexpr const char* kStandardOutput = "standard output";

// 'name', but standard input and output without quotes: they are no files of that name.
std::string in_quotes(std::string_view name);

// Throws Error: "cannot <action> <name>: <reason>", and what to do about it where that is known.
[[noreturn]] void fail_on(std::string_view action, std::string_view name, int reason, std::string_view advice = "");

}  // namespace plumbline
