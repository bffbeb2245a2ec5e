// Why a cell differs from print, or agrees for a reason that a reader should know: numbered notes, in plain words.
//
// note_for finds the note of a record by its experiment, protocol, method and metric, and by its value where the note
// speaks of it. A record that differs from print always has one: where nothing else explains it, that it is of another
// split than the paper's, and in the last resort that the data or something that we do not know of has changed.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace plumbline {

struct Record;

std::optional<int> note_for(const Record& record);  // from 1
std::string_view note_text(int number);
int note_count();

// What else we found wrong or left open in print, a paragraph each.
std::span<const std::string_view> findings();

}  // namespace plumbline
