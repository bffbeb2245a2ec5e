// What is written after a flag, as values; each throws Error naming the flag, the text and what it must be.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/choices.h"
#include "plumbline/rank.h"

namespace plumbline::app {

double number_of(std::string_view flag, const std::string& text);
double number_of(std::string_view flag, const std::string& text, double least, double most);
Rank rank_of(std::string_view flag, const std::string& text);       // a number of dimensions, or a share: 0.95
void require_name(std::string_view flag, const std::string& text);  // of a file: not empty
char delimiter_of(std::string_view flag, const std::string& text);  // a character, or tab

// A record of names between commas, in quotes where RFC 4180 wants them; no text is no names.
std::vector<std::string> names_of(std::string_view flag, const std::string& text);

}  // namespace plumbline::app
