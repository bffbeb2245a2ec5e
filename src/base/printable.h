// Text from strangers, for people: names, levels, cells and paths as they may stand in a sentence.
//
// Whatever a terminal would act on, or that would make a line look like another, is shown by its number: control
// characters and bytes that are not UTF-8 as \xNN, other code points that are no glyph (C1 controls, separators of
// lines and paragraphs, marks that turn the direction of text, tags) as \u{N}. What is printable already stays as it
// is, so that to make a line printable twice is to do it once.
#pragma once

#include <string>
#include <string_view>

namespace plumbline {

std::string printable_line(std::string_view text);  // all of it

std::string printable(std::string_view text);  // the first 60 bytes or so: of a name or a cell within a sentence

// The same characters within the text of a JSON document, escaped as JSON does.
std::string printable_json(std::string_view document);

}  // namespace plumbline
